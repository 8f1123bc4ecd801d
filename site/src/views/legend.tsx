import { Select } from "../components/controls/select.tsx";
import type { DiffTotals, TreeInfo } from "../core/types.ts";
import { change } from "../format/number.ts";
import { formatExact, formatValue, plural } from "../format/value.ts";
import { type Compared, shown } from "../state/profile/shown.ts";
import { takenSteps } from "../state/profile/steps.ts";
import { go } from "../state/url/router.ts";
import type { Measure } from "../state/url/urlstate.ts";

/** What the colours of a difference mean, and how the totals changed. */
export function Legend({ tree, diff }: { tree: TreeInfo; diff: DiffTotals }) {
  const compared = shown.value.state === "ready" ? shown.value.compared : undefined;
  return (
    <div class="legend" data-testid="legend">
      <span class="legend-scale" aria-hidden="true">
        less <i class="ramp" /> more
      </span>
      <span class="legend-mark">
        <i class="hatch new" aria-hidden="true" /> new
      </span>
      <span class="legend-mark">
        <i class="hatch gone" aria-hidden="true" /> gone
      </span>
      {compared ? <OfQueries tree={tree} diff={diff} compared={compared} /> : <OfFiles tree={tree} diff={diff} />}
    </div>
  );
}

function OfFiles({ tree, diff }: { tree: TreeInfo; diff: DiffTotals }) {
  // Of what is left after filters, the tree says how much there is.
  const totals = shown.value.state === "ready" && takenSteps.value.length === 0 ? shown.value.totals : undefined;
  const [base, other] = [totals?.base.total ?? diff.base, totals?.other.total ?? diff.comparison];
  const exact = [totals?.base.total_exact ?? diff.base_exact, totals?.other.total_exact ?? diff.comparison_exact]
    .map((total) => formatExact(total, tree.unit))
    .join(" → ");
  return (
    <>
      <span title={exact} data-testid="diff-totals">
        {formatValue(base, tree.unit)} → {formatValue(other, tree.unit)} <b>{change(base, other)}</b>
      </span>
      <label class="check" title="Scale the comparison so that both totals are equal: compares shares, not amounts">
        <input
          type="checkbox"
          checked={diff.normalised}
          data-testid="normalise"
          onChange={(event) => go({ measure: event.currentTarget.checked ? "share" : "amount" })}
        />
        Scale to equal totals
      </label>
    </>
  );
}

/** Amounts mislead where one side has more profiles than the other, so shares or rates can be compared instead. */
function OfQueries({ tree, diff, compared }: { tree: TreeInfo; diff: DiffTotals; compared: Compared }) {
  const { measure, gauge, timed, coverageDiffers, base, other } = compared;
  const options: { value: Measure; label: string }[] = [
    { value: "amount", label: gauge ? "averages" : "amounts" },
    { value: "share", label: "shares" },
    ...(timed ? [{ value: "rate" as const, label: "per minute of profile" }] : []),
  ];
  const exact = `${formatExact(base.exact, base.unit)} → ${formatExact(other.exact, other.unit)}`;
  const filtered = takenSteps.value.length > 0;
  const ofTree = measure === "rate" || filtered;
  const [before, after] = ofTree ? [diff.base, diff.comparison] : [base.total, other.total];
  const unit = ofTree ? tree.unit : base.unit;
  const counts = `${plural(base.profiles, "profile")} against ${other.profiles}`;
  return (
    <>
      <span title={exact} data-testid="diff-totals">
        {gauge && "average "}
        {formatValue(before, unit)} → {formatValue(after, unit)}
        {/* Beside shares the totals of unlike coverage say nothing. */}
        {(measure !== "share" || filtered || !coverageDiffers) && <b> {change(before, after)}</b>}
      </span>
      {coverageDiffers && (
        <span
          class="legend-note"
          data-testid="coverage"
          title="One side has more profiles than the other, so its amounts are larger for that alone."
        >
          {counts}
          {measure === "amount" ? ": amounts mislead" : ""}
        </span>
      )}
      <Select
        label="What is compared"
        testid="measure"
        value={measure}
        options={options}
        onChange={(value) => go({ measure: value as Measure })}
      />
    </>
  );
}
