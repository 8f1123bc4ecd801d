import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { comparisonLabel, type LabelSides } from "../../state/query/labels.ts";
import type { ValueTimeline } from "../../state/query/labelvalues.ts";
import { selector } from "../../state/query/selector.ts";
import { labels, span } from "../../state/query/services.ts";
import { askedVersions } from "../../state/query/shownmarks.ts";
import { labelSides, versionSides } from "../../state/query/sides.ts";
import { latestTwo, versionChanges } from "../../state/query/versionchanges.ts";
import { fetchVersions } from "../../state/query/versions.ts";
import { diffRoute, go } from "../../state/url/router.ts";
import { fixed } from "../../time/range.ts";

/**
 * The last two versions of what both sides span, and before and after the newest that begin in it. Where they are not found
 * nothing is offered. Versions are those of the filters that both sides have.
 */
export function VersionPresets(props: { shared: string[]; baseline: string[]; close: () => void }) {
  const { shared, baseline, close } = props;
  const found = useSignal<ValueTimeline[]>([]);
  const by = askedVersions(labels.value.value ?? {});
  useEffect(() => {
    const { service, type } = diffRoute.peek();
    if (!by) return;
    const stop = new AbortController();
    fetchVersions(type + selector(service, shared), by, span.peek(), stop.signal).then(
      ({ values }) => (found.value = values),
      () => {},
    );
    return () => stop.abort();
  }, [by]);
  if (!by) return null;
  const values = latestTwo(found.value);
  const latest: LabelSides[] = values ? [{ name: by, values }] : [];
  const offered = [
    ...latest.map((two) => ({
      label: comparisonLabel(two),
      sides: labelSides(fixed(span.value), baseline, two),
    })),
    ...versionSides(versionChanges(by, found.value), span.value, shared),
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
            go(sides);
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
