import type { DiffTotals, TreeInfo } from "../core/types.ts";
import { change } from "../format/number.ts";
import { formatExact, formatValue } from "../format/value.ts";
import { go, place } from "../state/router.ts";

/** What the colours of a difference mean, and how the totals changed. */
export function Legend({ tree, diff }: { tree: TreeInfo; diff: DiffTotals }) {
  const exact = `${formatExact(diff.base_exact, tree.unit)} → ${formatExact(diff.comparison_exact, tree.unit)}`;
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
      <span title={exact} data-testid="diff-totals">
        {formatValue(diff.base, tree.unit)} → {formatValue(diff.comparison, tree.unit)}{" "}
        <b>{change(diff.base, diff.comparison)}</b>
      </span>
      <label class="check" title="Scale the comparison so that both totals are equal: compares shares, not amounts">
        <input
          type="checkbox"
          checked={place.value.normalise}
          data-testid="normalise"
          onChange={(event) => go({ normalise: event.currentTarget.checked })}
        />
        equal totals
      </label>
    </div>
  );
}
