import { batch, useSignal } from "@preact/signals";
import { formatStep } from "../../format/value.ts";
import { clock, refresh, refreshEvery } from "../../state/url/clock.ts";
import {
  fixed,
  PRESETS,
  parseTime,
  type Range,
  rangeLabel,
  readLocalInput,
  resolve,
  toLocalInput,
} from "../../time/range.ts";
import { zone } from "../../time/zone.ts";
import { Menu } from "../controls/menu.tsx";
import { lazy } from "../lazy.tsx";

const RangeOptions = lazy(() => import("./rangeoptions.tsx").then((module) => module.RangeOptions));

interface Props {
  range: Range;
  title: string;
  testid: string;
  onChange: (range: Range) => void;
}

/** Presets from the last five minutes to a month, and any two times. */
export function RangePicker({ range, title, testid, onChange }: Props) {
  return (
    <Menu label={<Label range={range} />} title={title} testid={testid} class="control caret">
      {(close) => {
        const choose = (next: Range) => {
          close();
          // Together, or the former range would be asked for again.
          batch(() => {
            refresh();
            onChange(next);
          });
        };
        return (
          <div class="range">
            <div class="menu-list">
              {PRESETS.map(({ label, from }) => (
                <button
                  type="button"
                  key={from}
                  aria-pressed={range.from === from && range.until === "now"}
                  onClick={() => choose({ from, until: "now" })}
                >
                  {label}
                </button>
              ))}
            </div>
            <div class="range-more">
              <Custom key={zone.value} range={range} onChange={choose} />
              <div class="range-refresh">
                <RangeOptions close={close} />
              </div>
            </div>
          </div>
        );
      }}
    </Menu>
  );
}

/** "last 1 h", of which a phone shows "1 h". */
function Label({ range }: { range: Range }) {
  const label = rangeLabel(range, clock.value);
  const last = label.startsWith("last ") ? "last " : "";
  return (
    <span>
      {last && <span class="wide">{last}</span>}
      {label.slice(last.length)}
      {refreshEvery.value > 0 && range.until === "now" && ` ⟳ ${formatStep(refreshEvery.value * 1000)}`}
    </span>
  );
}

function Custom({ range, onChange }: { range: Range; onChange: (range: Range) => void }) {
  const span = resolve(range, clock.value);
  const from = useSignal(toLocalInput(span.from));
  const until = useSignal(toLocalInput(span.until));
  const problem = useSignal("");
  const apply = (event: Event) => {
    event.preventDefault();
    const chosen = { from: readLocalInput(from.value, span.from), until: readLocalInput(until.value, span.until) };
    const range = fixed(chosen);
    if (parseTime(range.from) === null || parseTime(range.until) === null) problem.value = "Enter both times.";
    else if (chosen.from >= chosen.until) problem.value = "“From” must be before “Until”.";
    else onChange(range);
  };
  return (
    <form class="range-custom" onSubmit={apply}>
      <label>
        From
        <input
          type="datetime-local"
          step="1"
          value={from}
          onInput={(event) => (from.value = event.currentTarget.value)}
        />
      </label>
      <label>
        Until
        <input
          type="datetime-local"
          step="1"
          value={until}
          onInput={(event) => (until.value = event.currentTarget.value)}
        />
      </label>
      {problem.value && <p role="alert">{problem}</p>}
      <button type="submit" class="control">
        Apply
      </button>
    </form>
  );
}
