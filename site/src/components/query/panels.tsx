import type { ComponentType } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { placeOf } from "../../state/query/place.ts";
import { latestShown } from "../../state/query/shownmarks.ts";
import type { Panel } from "../../state/url/route.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { linkTo } from "../controls/link.ts";
import { lazy } from "../lazy.tsx";

interface PanelEntry {
  label: string;
  title: string;
  /** What is shown below the timeline, fetched when it is first seen; the merged profile is the page's own. */
  component: ComponentType | null;
  /** A bucket cannot answer what it asks. */
  needsServer?: true;
}

/** All panels are one script: what they share would otherwise be part of the first page. */
const panels = () => import("../panels/servicepanels.ts");

/** What /explore shows of a service, in order. */
const PANELS: Record<Panel, PanelEntry> = {
  profile: { label: "Profile", title: "All profiles in the range, merged", component: null },
  types: {
    label: "Types",
    title: "Every profile type over time",
    component: lazy(() => panels().then((module) => module.TypesPanel)),
  },
  labels: {
    label: "Labels",
    title: "Totals by label value",
    component: lazy(() => panels().then((module) => module.LabelsPanel)),
  },
  changes: {
    label: "What changed",
    title: "Functions whose share changed",
    component: lazy(() => panels().then((module) => module.ChangesPanel)),
    needsServer: true,
  },
  function: {
    label: "Function",
    title: "One function over time, and in all services",
    component: lazy(() => panels().then((module) => module.FunctionPanel)),
    needsServer: true,
  },
  singles: {
    label: "Profiles",
    title: "Individual profiles by time and value",
    component: lazy(() => panels().then((module) => module.SinglesPanel)),
    needsServer: true,
  },
};

/** The panel that the link names. */
export const panelOf = (panel: Panel): ComponentType | null => PANELS[panel]?.component ?? null;

/** From one panel to another, of the same service, range and filters. */
export function Panels() {
  const { panel } = exploreRoute.value;
  const versions = panel === "profile" && latestShown.value;
  const offered = (Object.entries(PANELS) as [Panel, PanelEntry][]).filter(
    ([name, { needsServer }]) => name === panel || !needsServer || placeOf("base") === "",
  );
  const row = useRef<HTMLElement>(null);
  // A phone has no room for all of them, and less when the choice of a split comes.
  useLayoutEffect(() => {
    const { current: all } = row;
    const watch = new ResizeObserver(() => {
      const shown = all?.querySelector<HTMLElement>("[aria-current]");
      if (all && shown) all.scrollLeft = shown.offsetLeft - all.offsetLeft - (all.clientWidth - shown.offsetWidth) / 2;
    });
    if (all) watch.observe(all);
    return () => watch.disconnect();
  }, [panel]);
  return (
    <nav class="panels" ref={row} aria-label="Service views" data-testid="panels">
      {offered.map(([name, { label, title }]) => {
        // What these panels tell apart means nothing in the others.
        const own = panel === "changes" || panel === "singles";
        const target = { ...exploreRoute.value, panel: name, ...(own && { by: null }) };
        return (
          <a
            key={name}
            class="panel-link"
            {...linkTo(target)}
            title={title}
            aria-current={name === panel ? "page" : undefined}
            data-testid={`panel-${name}`}
          >
            {label}
          </a>
        );
      })}
      {versions && (
        <a
          class="panel-link deploy"
          // They are those of the whole range.
          {...linkTo({ ...exploreRoute.value, panel: "changes", by: versions.by, window: null })}
          title={`What changed between ${versions.text}?`}
          data-testid="deploy"
        >
          <span class="long">What changed between {versions.text}?</span>
          <span class="short">{versions.short}</span>
        </a>
      )}
    </nav>
  );
}
