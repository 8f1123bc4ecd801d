import { base } from "../../base.ts";
import { token } from "../../state/page/token.ts";
import { type RemoteWrite, remoteWriteWords } from "../../state/query/recordingrule.ts";
import { Snippet } from "../status/snippet.tsx";

/** Where Grafana and Prometheus find the metrics of rules. */
export function RuleUse({ remoteWrite }: { remoteWrite?: RemoteWrite }) {
  const withToken = token.value !== "";
  return (
    <section class="rules-use" data-testid="rules-use">
      <h2>Use the metrics</h2>
      <div>
        <h3>Grafana</h3>
        <p>Add a Prometheus data source with this URL:</p>
        <Snippet code={`${base.href}prometheus`} what="the URL" />
        {withToken && (
          <p class="hint">
            Under HTTP headers, add Authorization with the value “Bearer plt_…”; plt_… is a token with the read scope.
          </p>
        )}
      </div>
      <div>
        <h3>Prometheus</h3>
        <p>To store the metrics in your own Prometheus, scrape them:</p>
        <Snippet code={scrapeConfig(base, withToken)} what="the configuration" />
        {withToken && <p class="hint">Replace plt_… with a token with the read scope.</p>}
      </div>
      {remoteWrite && (
        <div data-testid="remote-write">
          <h3>Remote write</h3>
          <p role={remoteWrite.error ? "alert" : undefined}>{remoteWriteWords(remoteWrite)}</p>
        </div>
      )}
    </section>
  );
}

function scrapeConfig({ protocol, pathname, host }: URL, withToken: boolean): string {
  const authorization = `
    authorization:
      credentials: plt_…`;
  return `scrape_configs:
  - job_name: pilotlight
    scheme: ${protocol.replace(":", "")}
    metrics_path: ${pathname}exported-metrics
    scrape_interval: 30s${withToken ? authorization : ""}
    static_configs:
      - targets: ["${host}"]`;
}
