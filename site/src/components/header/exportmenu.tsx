import { useSignal } from "@preact/signals";
import { standalone } from "../../base.ts";
import type { SiteForm } from "../../bundle/bundle.ts";
import type { Form } from "../../export/index.ts";
import { isScaled } from "../../format/value.ts";
import { reportFailure } from "../../state/page/failure.ts";
import { shown } from "../../state/profile/shown.ts";
import { sourcesOf } from "../../state/profile/sources.ts";
import { takenSteps } from "../../state/profile/stepchanges.ts";
import { withBundle } from "../../state/query/place.ts";
import type { View } from "../../state/url/route.ts";
import { exploreRoute, pictureRoute } from "../../state/url/router.ts";
import { Icon } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";

interface Choice {
  form: Form;
  label: string;
  /** Of how many profiles at most; of any number when absent. */
  most?: number;
}

/** Always with the filters and the search; the flame graph and the table, in other views than Chart, too. */
function filteredForms(view: View, isComparison: boolean): Choice[] {
  const picture = view === "chart" ? "Chart" : isComparison ? "Difference flame graph" : "Flame graph";
  return [
    { form: "png", label: `${picture} (PNG)` },
    { form: "svg", label: `${picture} (SVG)` },
    { form: "csv", label: "Table (CSV)" },
  ];
}
/** The profile, with or without the filters. */
const PROFILES: Choice[] = [
  { form: "html", label: "Offline page (HTML)", most: 2 },
  { form: "pprof", label: "Profile (pprof)", most: 1 },
  { form: "folded", label: "Folded stacks (text)", most: 1 },
  { form: "speedscope", label: "speedscope (JSON)", most: 1 },
  { form: "flamebearer", label: "Pyroscope flame graph (JSON)", most: 1 },
];
/** What is stored, to be looked into by whoever gets it. */
const BUNDLES: { form: SiteForm; label: string }[] = [
  { form: "zip", label: "Site for any static host (ZIP)" },
  { form: "html", label: "Explorer as one page (HTML)" },
];
/** What a page that stands alone has no writer for, or is itself. */
const ELSEWHERE: Form[] = ["html", "speedscope", "flamebearer"];

/** Hands what is seen on as a file. */
export function ExportMenu() {
  const answer = shown.value;
  const count = sourcesOf(answer).length;
  // Folded stacks say no unit: another program, and this one, reads their values as a count.
  const unit = answer.state === "ready" ? answer.tree.unit : "";
  const isComparison = answer.state === "ready" && answer.tree.diff !== null;
  const fits = (most?: number) => most === undefined || (count > 0 && count <= most);
  const profiles = PROFILES.filter(({ form }) => !standalone || !ELSEWHERE.includes(form));
  const { service } = exploreRoute.value;
  const stored = !standalone && service !== "";
  const bundles = BUNDLES.filter(({ form }) => form !== "zip" || !withBundle);
  const whole = useSignal(false);
  // A comparison is handed on with both of its profiles and its filters, as they can be removed there.
  const filtered = count === 1 && takenSteps.value.length > 0;
  const steps = filtered && !whole.value ? takenSteps.value : [];
  const list = (choices: Choice[], close: () => void) =>
    choices.map(({ form, label, most }) => (
      <button
        type="button"
        key={form}
        disabled={!fits(most)}
        data-testid={`export-${form}`}
        onClick={() => {
          close();
          void exportAs(form, label, steps);
        }}
      >
        {label}
        {form === "folded" && isScaled(unit) && ` in ${unit}`}
      </button>
    ));
  return (
    <Menu
      label={
        <>
          <Icon name="download" />
          <span class="wide">Export</span>
        </>
      }
      title="Export"
      testid="export"
    >
      {(close) => (
        <div class="menu-list">
          <p class="menu-title">With the filters</p>
          {list(filteredForms(pictureRoute.value.view, isComparison), close)}
          <p class="menu-title">Profile</p>
          {filtered && (
            <label class="check" title="Export the whole profile instead of what the filters show">
              <input
                type="checkbox"
                checked={whole}
                data-testid="export-whole"
                onChange={(event) => (whole.value = event.currentTarget.checked)}
              />
              Ignore the filters
            </label>
          )}
          {list(profiles, close)}
          {stored && (
            <>
              <p class="hint">All stored profiles of this service that match the filters and the range:</p>
              {bundles.map(({ form, label }) => (
                <button
                  type="button"
                  key={form}
                  data-testid={`export-bundle-${form}`}
                  onClick={() => {
                    close();
                    void exportBundle(form, label);
                  }}
                >
                  {label}
                </button>
              ))}
            </>
          )}
          {count !== 1 && <p class="hint">A comparison can't be exported as a profile.</p>}
        </div>
      )}
    </Menu>
  );
}

async function exportAs(form: Form, label: string, steps: string[]): Promise<void> {
  try {
    await (await import("../../export/index.ts")).exportAs(form, steps);
  } catch (failure) {
    reportFailure(failure, `make ${label}`);
  }
}

async function exportBundle(form: SiteForm, label: string): Promise<void> {
  try {
    await (await import("../../export/bundledownload.ts")).exportBundle(form);
  } catch (failure) {
    reportFailure(failure, `make ${label}`);
  }
}
