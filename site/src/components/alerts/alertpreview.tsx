import type { Alert, AlertKind } from "../../state/query/alert.ts";
import { firingSpans, firingsWords, firingWords, isWhole, previewHours } from "../../state/query/alert.ts";
import { useAlertPreview } from "../../state/query/alertlist.ts";
import type { AlertLoads } from "../../state/query/alertloads.ts";
import type { RecordingRule } from "../../state/query/recordingrule.ts";
import type { Loaded } from "../../state/resource.ts";
import type { Span } from "../../time/range.ts";
import { LoadedChart } from "../rules/rulechart.tsx";

/** Times that are listed, the newest first; the chart marks all. */
const LISTED = 5;

interface Props {
  kind: AlertKind;
  /** Null while its threshold is unknown. */
  alert: Alert | null;
  loads: Loaded<AlertLoads>;
  rule: RecordingRule;
  span: Span;
  /** Null for kinds that aren't about the value in the chart. */
  threshold: number | null;
}

/** When the alert would have fired lately, in words and in the chart of its rule. */
export function AlertPreview({ kind, alert, loads, rule, span, threshold }: Props) {
  const { value, state, problem } = useAlertPreview(alert, span);
  const firings = [...(value?.firings ?? [])].sort((a, b) => b.from - a.from);
  return (
    <section class="record-preview" aria-label="Preview">
      <h3>
        Last {previewHours(kind)} h{" "}
        <span class="hint" role="status" data-testid="alert-reading">
          {state === "loading" || loads.state === "loading" ? "Reading…" : ""}
        </span>
      </h3>
      <LoadedChart
        preview={loads}
        rule={rule}
        span={span}
        watched={{ threshold, firings: firingSpans(firings, span.until), averaged: loads.value?.averaged }}
      />
      {kind === "grew" && !isWhole(rule) && (
        <p class="hint">The chart shows amounts; the alert compares shares of the profile.</p>
      )}
      {kind === "new_function" && (
        <p class="hint">The chart shows amounts; the alert looks at the share of each new function.</p>
      )}
      <div class="alert-firings" aria-live="polite" data-testid="alert-firings">
        {problem ? (
          <p role="alert">
            {problem.title}. {problem.meaning}
          </p>
        ) : (
          value && (
            <>
              <p>{firingsWords(firings, previewHours(value.kind))}</p>
              <ul>
                {firings.slice(0, LISTED).map((firing) => (
                  <li key={`${firing.from} ${JSON.stringify(firing.labels)}`}>
                    {firingWords(firing, value.kind, value.unit, span.until)}
                  </li>
                ))}
                {firings.length > LISTED && <li class="hint">and {firings.length - LISTED} more</li>}
              </ul>
            </>
          )
        )}
      </div>
    </section>
  );
}
