import { useSignal } from "@preact/signals";
import { base } from "../../base.ts";
import { Snippet } from "./snippet.tsx";

/** How to push, with this page's own address in it. */
export function Snippets() {
  const address = base.href.replace(/\/$/, "");
  const all = snippets(address);
  const chosen = useSignal(0);
  const { code } = all[chosen.value];
  return (
    <div class="snippets">
      <fieldset class="segmented" aria-label="Language">
        {all.map(({ name }, i) => (
          <button type="button" key={name} aria-pressed={i === chosen.value} onClick={() => (chosen.value = i)}>
            {name}
          </button>
        ))}
      </fieldset>
      <Snippet code={code} />
      <p class="hint">
        Agents for Python, Ruby, .NET, Rust and Java push to the same address, and so do Alloy and OTLP senders. If the
        server requires a token, give the agent one with the push scope.
      </p>
    </div>
  );
}

function snippets(address: string): { name: string; code: string }[] {
  return [
    {
      name: "curl",
      code: `# any pprof file; shown at the time recorded in the file
curl --data-binary @cpu.pprof \\
  "${address}/ingest?name=my.app%7Benv=dev%7D&format=pprof"`,
    },
    {
      name: "Go",
      code: `import "github.com/grafana/pyroscope-go"

pyroscope.Start(pyroscope.Config{
	ApplicationName: "my.app",
	ServerAddress:   "${address}",
	Tags:            map[string]string{"env": "dev"},
})`,
    },
    {
      name: "Node",
      code: `import Pyroscope from "@pyroscope/nodejs";

Pyroscope.init({
  appName: "my.app",
  serverAddress: "${address}",
  tags: { env: "dev" },
});
Pyroscope.start();`,
    },
  ];
}
