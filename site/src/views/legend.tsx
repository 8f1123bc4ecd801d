import { Select } from "../components/controls/select.tsx";
import type { DiffTotals, TreeInfo } from "../core/types.ts";
import { change, count, percent } from "../format/number.ts";
import { isCpu } from "../format/type.ts";
import { formatStep, plural } from "../format/value.ts";
import { type Compared, shown } from "../state/profile/shown.ts";
import { changeOfTotals, sidesLeft, sideTotals } from "../state/profile/sidetotals.ts";
import { takenSteps } from "../state/profile/stepchanges.ts";
import { coverageDiffers } from "../state/query/measure.ts";
import { comparedTime } from "../state/url/comparedtime.ts";
import { diffRoute, fileRoute, go } from "../state/url/router.ts";
import type { Measure } from "../state/url/values.ts";
import { spanLabel } from "../time/range.ts";

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

interface TotalsProps {
  tree: TreeInfo;
  diff: DiffTotals;
  average?: boolean;
  /** Whether the change between them says something. */
  changed?: boolean;
}

function Totals({ tree, diff, average = false, changed = true }: TotalsProps) {
  const totals = sideTotals(tree, diff);
  const { exact } = totals;
  const [amounts, change] = changeOfTotals(totals);
  return (
    <span title={`${exact.base} → ${exact.other}`} data-testid="diff-totals">
      {average && "average "}
      {amounts}
      {changed && <b> {change}</b>}
    </span>
  );
}

function OfFiles({ tree, diff }: { tree: TreeInfo; diff: DiffTotals }) {
  return (
    <>
      <Totals tree={tree} diff={diff} />
      {/* Not rendered for a new choice before the tree is there: the checkbox would take it back. */}
      {diff.normalised_to !== null && fileRoute.peek().measure === "auto" && (
        <span class="legend-note" title={sharesBecause()}>
          {sharesBecause()}
        </span>
      )}
      <label class="check" title="Compare each frame's share of its side's total instead of its amount">
        <input
          type="checkbox"
          checked={diff.normalised_to !== null}
          data-testid="normalise"
          onChange={(event) => go({ measure: event.currentTarget.checked ? "share" : "amount" })}
        />
        Compare shares, not amounts
      </label>
    </>
  );
}

const sharesBecause = () => `${comparedTime.peek() ? "lengths or totals" : "totals"} differ, so shares are compared`;

/** What filters leave of each side. */
export function SidesLeft({ tree, diff }: { tree: TreeInfo; diff: DiffTotals }) {
  const shares = sidesLeft(tree, diff);
  return shares?.some((share) => share < 1) && <>{shares.map(percent).join(" → ")} of each side</>;
}

/** Amounts mislead where one side has more profiles than the other, so loads or shares can be compared instead. */
function OfQueries({ tree, diff, compared }: { tree: TreeInfo; diff: DiffTotals; compared: Compared }) {
  const { measure, gauge, timed, base, other } = compared;
  const options: { value: Measure; label: string }[] = [
    { value: "amount", label: gauge ? "averages" : "amounts" },
    { value: "share", label: "shares" },
    ...(timed
      ? [{ value: "rate" as const, label: isCpu(diffRoute.value.type) ? "load, in cores" : "load per second" }]
      : []),
  ];
  const counts = coverageDiffers(base.profiles, other.profiles)
    ? `${plural(base.profiles, "profile")} against ${count(other.profiles)}`
    : `${formatStep(base.coveredMillis)} of profiles against ${formatStep(other.coveredMillis)}`;
  // Beside shares the totals of unlike coverage say nothing.
  const changed = measure !== "share" || takenSteps.value.length > 0 || !compared.coverageDiffers;
  const [before, after] = [base, other].map(({ total, coveredMillis }) => total / coveredMillis);
  const loadChange = timed && takenSteps.value.length === 0 && (
    <>
      {" "}
      (load <b>{change(before, after)}</b>)
    </>
  );
  return (
    <>
      <Totals tree={tree} diff={diff} average={gauge} changed={changed} />
      {compared.coverageDiffers && (
        <span
          class="legend-note"
          data-testid="coverage"
          title="One side has more profiles than the other, or more time with profiles, so its amounts or its load may be larger even if nothing changed."
        >
          {counts}
          {measure === "amount" ? ": amounts may mislead" : ""}
          {measure === "share" && diffRoute.value.measure === "auto" && <>, so shares are compared{loadChange}</>}
        </span>
      )}
      {compared.overlap && (
        <span class="legend-note" data-testid="overlap">
          sides overlap: {spanLabel(compared.overlap, Date.now())}
        </span>
      )}
      <Select
        label="Compare by"
        testid="measure"
        value={measure}
        options={options}
        onChange={(value) => go({ measure: value as Measure })}
      />
    </>
  );
}
