import { percent } from "../../format/number.ts";
import { isCpu, isGauge } from "../../format/type.ts";
import { formatExact, formatValue, plural } from "../../format/value.ts";
import { amountOf, inValues } from "../../state/query/function.ts";
import { formatMatcher, hasMatcher, type Matcher } from "../../state/query/selector.ts";
import { toggleFilter } from "../../state/query/sides.ts";
import { splitLabels } from "../../state/query/splitvalues.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { RetryNote } from "../status/retrynote.tsx";
import { Cost, CostHeads } from "./functioncost.tsx";

/** For whom it runs: the function by the values of the label that splits the timeline. */
export function FunctionLabels() {
  const { split: by } = exploreRoute.value;
  if (by === null && splitLabels.value.length === 0) return null;
  return (
    <section>
      <h3>{by === null ? "By label" : `By ${by}`}</h3>
      {by === null ? <p class="hint">Choose a label under “Split by”, below the timeline.</p> : <Values by={by} />}
    </section>
  );
}

function Values({ by }: { by: string }) {
  const { value, problem } = inValues.value;
  const { type } = exploreRoute.value;
  const cpu = isCpu(type);
  // Averages don't add up: the values have no parts of a whole.
  const adds = !isGauge(type);
  if (problem) return <RetryNote problem={problem} />;
  if (!value || value.by !== by) return <p class="hint">Searching each value…</p>;
  const { running, asked, left } = value;
  const sum = running.reduce((all, { total }) => all + total, 0);
  return (
    <>
      {running.length > 0 && (
        <table class="function-services" data-testid="function-labels">
          <thead>
            <tr>
              <th scope="col">{by}</th>
              <th scope="col" class="num">
                {adds ? "Total" : "Average"}
              </th>
              {adds && (
                <th scope="col" class="num">
                  % of function
                </th>
              )}
              <th scope="col" class={adds ? "num function-wide" : "num"}>
                % of value
              </th>
              {cpu && <CostHeads />}
            </tr>
          </thead>
          <tbody>
            {running.map((one) => (
              <tr key={one.value} data-testid="function-label" data-value={one.value}>
                <th scope="row">
                  <Only matcher={{ name: by, op: "=", value: one.value }} />
                </th>
                <td
                  class="num"
                  title={adds ? formatExact(String(one.total), one.unit) : undefined}
                  data-total={one.total}
                >
                  {formatValue(amountOf(type, one.total, one.profiles), one.unit)}
                </td>
                {adds && <td class="num">{percent(one.total / (sum || 1))}</td>}
                <td class={adds ? "num function-wide" : "num"}>{percent(one.total / (one.whole || 1))}</td>
                {cpu && <Cost total={one.total} />}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="hint" data-testid="function-labels-others">
        {asked > running.length
          ? `Not seen with ${plural(asked - running.length, "other value")}.`
          : asked > 0
            ? "Seen with every value."
            : "No profiles."}
        {left > 0 && ` ${plural(left, "more value was", "more values were")} not searched.`}
      </p>
    </>
  );
}

function Only({ matcher }: { matcher: Matcher }) {
  const { base } = exploreRoute.value;
  const set = hasMatcher(base.filters, matcher);
  return (
    <button
      type="button"
      class="link"
      aria-pressed={set}
      title={`${set ? "Remove the filter" : "Only"} ${formatMatcher(matcher)}`}
      onClick={() => toggleFilter(matcher)}
    >
      {matcher.value || `without ${matcher.name}`}
    </button>
  );
}
