import { comparedMarks, comparedVersions, sharedFilters } from "../../state/query/comparedversions.ts";
import { comparisonLabel, type LabelSides } from "../../state/query/labels.ts";
import { span } from "../../state/query/services.ts";
import { labelSides, timelineSpan, versionSides } from "../../state/query/sides.ts";
import { latestTwo } from "../../state/query/versionchanges.ts";
import { diffRoute, go } from "../../state/url/router.ts";
import { fixed } from "../../time/range.ts";

/**
 * The last two versions of what the timelines show, and before and after the newest that begin in what both sides span. Where
 * they are not found nothing is offered. Versions are those of the filters that both sides have.
 */
export function VersionPresets({ close }: { close: () => void }) {
  const found = comparedVersions.value.value;
  const values = found && latestTwo(found.values);
  const latest: LabelSides[] = values ? [{ name: found.by, values }] : [];
  const offered = [
    ...latest.map((two) => ({
      label: comparisonLabel(two),
      sides: labelSides(fixed(timelineSpan("base")), diffRoute.value.base.filters, two),
    })),
    ...versionSides(comparedMarks.value, span.value, sharedFilters.value),
  ];
  if (offered.length === 0) return null;
  return (
    <div class="menu-list apart">
      {offered.map(({ label, sides }) => (
        <button
          type="button"
          key={label}
          data-testid="compare-version"
          onClick={() => {
            close();
            go({ ...sides, around: null });
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
