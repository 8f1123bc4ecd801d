import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { placeOf } from "../../state/query/place.ts";
import { selector } from "../../state/query/selector.ts";
import { labels, span } from "../../state/query/services.ts";
import { versionSides } from "../../state/query/sides.ts";
import { versionLabel } from "../../state/query/versionchanges.ts";
import { fetchVersions } from "../../state/query/versions.ts";
import { go, urlState } from "../../state/url/router.ts";
import type { Mark } from "../../time/marks.ts";

/** Before and after the newest versions that begin in what both sides span. Where they are not found nothing is offered. */
export function VersionPresets({ filters, close }: { filters: string[]; close: () => void }) {
  const marks = useSignal<Mark[]>([]);
  const by = versionLabel(labels.value.value ?? {});
  useEffect(() => {
    const { service, type } = urlState.peek();
    if (!by || placeOf("base") !== "") return;
    const stop = new AbortController();
    fetchVersions(type + selector(service, filters), by, span.peek(), stop.signal).then(
      (found) => (marks.value = found),
      () => {},
    );
    return () => stop.abort();
  }, [by]);
  const offered = versionSides(marks.value, span.value, filters);
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
