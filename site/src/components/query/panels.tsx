import type { ComponentType } from "preact";
import { go, href, urlState } from "../../state/url/router.ts";
import type { Panel } from "../../state/url/urlstate.ts";
import { onPlainClick } from "../header/header.tsx";

interface PanelEntry {
  label: string;
  title: string;
  /** What is shown below the timeline, fetched when it is first seen; the merged profile is the page's own. */
  component: ComponentType | null;
}

/** What /explore shows of a service, in order. */
const PANELS: Partial<Record<Panel, PanelEntry>> = {
  profile: { label: "Profile", title: "All profiles of the range, merged", component: null },
};

/** The panel that the link names. */
export const panelOf = (panel: Panel): ComponentType | null => PANELS[panel]?.component ?? null;

/** From one panel to another, of the same service, range and filters. */
export function Panels() {
  const { panel } = urlState.value;
  return (
    <nav class="panels" aria-label="Views of the service" data-testid="panels">
      {(Object.entries(PANELS) as [Panel, PanelEntry][]).map(([name, { label, title }]) => {
        const target = { ...urlState.value, panel: name };
        return (
          <a
            key={name}
            class="panel-link"
            href={href(target)}
            title={title}
            aria-current={name === panel ? "page" : undefined}
            data-testid={`panel-${name}`}
            onClick={(event) => onPlainClick(event, () => go(target))}
          >
            {label}
          </a>
        );
      })}
    </nav>
  );
}
