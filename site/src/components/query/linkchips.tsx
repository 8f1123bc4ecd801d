import { settingsOpen } from "../../state/page/settingsopen.ts";
import { linksLabel } from "../../state/query/loadexplore.ts";
import { span } from "../../state/query/services.ts";
import { useSettings } from "../../state/query/settings.ts";
import { filled } from "../../state/query/template.ts";
import { exploreRoute, go } from "../../state/url/router.ts";
import { Icon } from "../controls/icon.tsx";

/** The spans and traces whose samples are shown, each removable, and the way to the trace. */
export function LinkChips() {
  const { spans, traces } = exploreRoute.value;
  const chips = [
    ...spans.map((id) => ({ of: "span" as const, id, rest: { spans: spans.filter((other) => other !== id) } })),
    ...traces.map((id) => ({ of: "trace" as const, id, rest: { traces: traces.filter((other) => other !== id) } })),
  ];
  const { state, value } = useSettings();
  const template = value?.["trace-url"];
  const trace = template ? traceAddress(template) : null;
  const asks = traces.length === 1 && state === "ready" && !template;
  return (
    <span class="filters" data-testid="link-chips">
      {chips.map(({ of, id, rest }) => (
        <button
          key={of + id}
          type="button"
          class="chip"
          title={`Only samples of ${linksLabel({ of, ids: [id] })}. Click to remove.`}
          data-testid={`${of}-chip`}
          onClick={() => go(rest)}
        >
          {of} {id.slice(0, 8)}…
          <Icon name="close" />
        </button>
      ))}
      {trace && (
        <a class="control quiet" href={trace} target="_blank" rel="noreferrer" data-testid="trace-link">
          Open the trace
        </a>
      )}
      {asks && (
        <button
          type="button"
          class="control quiet"
          title="Set a trace URL to open traces from here"
          data-testid="trace-ask"
          onClick={() => (settingsOpen.value = true)}
        >
          Link to traces…
        </button>
      )}
    </span>
  );
}

/** Where the one trace is that is shown; null without one. */
function traceAddress(template: string): string | null {
  const { service, spans, traces, window } = exploreRoute.value;
  if (traces.length !== 1) return null;
  const { from, until } = window ?? span.value;
  const range = { from: String(Math.round(from)), until: String(Math.round(until)) };
  return filled(template, { trace: traces[0], span: spans[0] ?? "", service, ...range });
}
