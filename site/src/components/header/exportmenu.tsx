import { standalone } from "../../base.ts";
import type { Form } from "../../export/index.ts";
import { reportFailure } from "../../state/page/failure.ts";
import { shown } from "../../state/profile/shown.ts";
import { sourcesOf } from "../../state/profile/sources.ts";
import { Icon } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";

/** What can be made of what is seen; `most` says of how many profiles at most, and without it of any number. */
const FORMS: { form: Form; label: string; most?: number }[] = [
  { form: "png", label: "Picture (PNG)" },
  { form: "svg", label: "Drawing (SVG)" },
  { form: "csv", label: "Table (CSV)" },
  { form: "html", label: "Page that works offline (HTML)", most: 2 },
  { form: "pprof", label: "Profile (pprof)", most: 1 },
  { form: "folded", label: "Folded stacks (text)", most: 1 },
];

/** Hands what is seen on as a file. */
export function ExportMenu() {
  const count = sourcesOf(shown.value).length;
  const fits = (most?: number) => most === undefined || (count > 0 && count <= most);
  // A page that stands alone is such a file itself.
  const forms = FORMS.filter(({ form }) => !standalone || form !== "html");
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
          {forms.map(({ form, label, most }) => (
            <button
              type="button"
              key={form}
              disabled={!fits(most)}
              data-testid={`export-${form}`}
              onClick={() => {
                close();
                void exportAs(form, label);
              }}
            >
              {label}
            </button>
          ))}
          {count !== 1 && <p class="hint">A comparison is no profile of its own.</p>}
        </div>
      )}
    </Menu>
  );
}

async function exportAs(form: Form, label: string): Promise<void> {
  try {
    await (await import("../../export/index.ts")).exportAs(form);
  } catch (failure) {
    reportFailure(failure, `make ${label}`);
  }
}
