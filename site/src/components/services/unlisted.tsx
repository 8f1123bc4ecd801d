/** What the list of services lacks, and why. */
import { formatStep, plural } from "../../format/value.ts";
import { ended, span } from "../../state/query/services.ts";
import { widest } from "../../state/query/sides.ts";
import { clock } from "../../state/url/clock.ts";
import { initialRoute } from "../../state/url/route.ts";
import { go, homeRoute } from "../../state/url/router.ts";
import { resolve } from "../../time/range.ts";
import { linkTo } from "../controls/link.ts";

/** Shown when a search has no results. */
export function NoMatch({ valid }: { valid: boolean }) {
  const { search, base } = homeRoute.value;
  const { label, range } = widest();
  const isNarrow = valid && resolve(range, clock.value).from < span.value.from;
  return (
    <div class="nothing" data-testid="no-match">
      <h2>{valid ? `No service matches “${search.trim()}”` : "Invalid regular expression"}</h2>
      {isNarrow && <p>Only services with profiles in this range are searched.</p>}
      <div class="note-actions">
        <button type="button" class="control" data-testid="clear-search" onClick={clearSearch}>
          Clear the search
        </button>
        {isNarrow && (
          <button
            type="button"
            class="control"
            data-testid="search-wider"
            onClick={() => go({ base: { ...base, ...range } })}
          >
            {label}
          </button>
        )}
      </div>
    </div>
  );
}

/** The button goes away, so the field gets the focus. */
function clearSearch(): void {
  go({ search: "" }, "replace");
  setTimeout(() => document.getElementById("search")?.focus());
}

/** Names that are listed; whoever looks for another one searches for it. */
const MOST = 20;

/** Services without a card, since their last profiles lie just before the range. */
export function Ended() {
  const { names, from, until } = ended.value;
  const base = { ...homeRoute.value.base, from: String(2 * from - until) };
  return (
    <p class="hint pad" data-testid="ended">
      {plural(names.length, "service has", "services have")} no profiles in this range, only in the{" "}
      {formatStep(until - from)} before it:{" "}
      {names.slice(0, MOST).map((name, i) => (
        <>
          {i > 0 && ", "}
          <a {...linkTo({ ...initialRoute("explore"), service: name, base })}>{name}</a>
        </>
      ))}
      {names.length > MOST && ", …"}
    </p>
  );
}
