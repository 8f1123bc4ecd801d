/** Splitting the timeline by the values of a label: the choice, and what the colours mean. */
import { typeParts } from "../../format/type.ts";
import { split, timeline } from "../../state/query/loadexplore.ts";
import { formatMatcher, hasMatcher, matcherLabel } from "../../state/query/selector.ts";
import { toggleFilter } from "../../state/query/sides.ts";
import { splitLabels, splitValues, unknownSplit } from "../../state/query/splitvalues.ts";
import { refresh } from "../../state/url/clock.ts";
import { exploreRoute, go } from "../../state/url/router.ts";
import { type Part, partAmount, type Split } from "../../time/seriessplit.ts";
import { Select } from "../controls/select.tsx";
import "../../style/split.css";

export function SplitChoice() {
  const { split: by } = exploreRoute.value;
  const names = splitLabels.value;
  if (names.length === 0 && by === null) return null;
  const listed = by === null || names.includes(by) ? names : [by, ...names];
  return (
    <Select
      label="Split the timeline by a label"
      testid="split"
      value={by ?? ""}
      options={["", ...listed].map((value) => ({ value, label: `Split by: ${value || "none"}` }))}
      onChange={(split) => go({ split: split || null })}
    />
  );
}

/** The parts of the timeline, each of which filters; or why there are none. */
export function SplitLegend() {
  const { split: by } = exploreRoute.value;
  const { value, problem } = splitValues.value;
  const shown = split.value;
  if (shown) return <Parts of={shown} />;
  if (problem)
    return (
      <p role="alert" data-testid="split-problem" title={problem.detail}>
        {problem.title}. {problem.meaning}{" "}
        <button type="button" class="link" onClick={refresh}>
          Try again
        </button>
      </p>
    );
  if (timeline.value.value?.counts.every((count) => count === 0))
    return <p role="status">No profiles in this range.</p>;
  const nothing = unknownSplit.value || (value?.by === by && value.values.length === 0);
  return (
    <p role="status" data-testid="split-note">
      {nothing ? `No profile in this range has the label ${by}.` : `Reading the values of ${by}…`}
    </p>
  );
}

function Parts({ of }: { of: Split }) {
  const { type, window } = exploreRoute.value;
  const { unit } = typeParts(type);
  const { by, parts, stacked, more, series } = of;
  const all: Part = { value: null, name: "all", colour: "--line-strong", values: series.values, total: series.total };
  return (
    <ul aria-label={`Timeline split by ${by}`} data-testid="split-legend">
      {window && <li class="soft">For the whole range:</li>}
      {!stacked && <Entry part={all} of={of} unit={unit} />}
      {parts.map((part) => (
        <Entry key={part.value === null ? "rest" : `=${part.value}`} part={part} of={of} unit={unit} />
      ))}
      {!stacked && more > 0 && <li>{more} more are not shown</li>}
    </ul>
  );
}

function Entry({ part, of, unit }: { part: Part; of: Split; unit: string }) {
  const { value, name, colour } = part;
  const words = (
    <>
      <i class="swatch" style={{ "--series": `var(${colour})` }} />
      <span class="split-name">{name}</span> <span class="soft">{partAmount(part, of, unit)}</span>
    </>
  );
  if (value === null)
    return (
      <li data-testid="split-rest" title={name}>
        {words}
      </li>
    );
  const matcher = { name: of.by, op: "=", value } as const;
  const { base } = exploreRoute.value;
  const set = hasMatcher(base.filters, matcher);
  const label = value === "" ? `without ${of.by}` : matcherLabel(formatMatcher(matcher));
  return (
    <li>
      <button
        type="button"
        aria-pressed={set}
        title={`${set ? "Remove the filter" : "Only"} ${label}`}
        data-testid="split-value"
        data-value={value}
        onClick={() => toggleFilter(matcher)}
      >
        {words}
      </button>
    </li>
  );
}
