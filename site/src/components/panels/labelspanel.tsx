import { useSignal } from "@preact/signals";
import { percent } from "../../format/number.ts";
import { isGauge } from "../../format/type.ts";
import { formatStep, plural } from "../../format/value.ts";
import { comparingOf, namedValues } from "../../state/query/comparing.ts";
import { isVersion, type LabelSides, natural } from "../../state/query/labels.ts";
import {
  coveredByAll,
  seriesColours,
  type ValueTimelines,
  valueName,
  valueRows,
} from "../../state/query/labelvalues.ts";
import { ownLabels } from "../../state/query/ownlabels.ts";
import { ROUNDED } from "../../state/query/rounded.ts";
import { labels, services } from "../../state/query/services.ts";
import { latestShown } from "../../state/query/shownmarks.ts";
import { comparedLabels, compareLabels } from "../../state/query/sides.ts";
import { names, shownLabel, unknownLabel, valueTimelines } from "../../state/query/valuetimelines.ts";
import { latestTwo } from "../../state/query/versionchanges.ts";
import { exploreRoute, go, href } from "../../state/url/router.ts";
import { Icon } from "../controls/icon.tsx";
import { linkTo, onPlainClick } from "../controls/link.ts";
import { Note } from "../status/problemnote.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import { NothingHere } from "./nothinghere.tsx";
import { ValueChart } from "./valuechart.tsx";
import { ValueTable } from "./valuetable.tsx";
import "../../style/labelspanel.css";

/** What each value of a label takes, over time and in numbers. */
export function LabelsPanel() {
  const { state, value, problem } = valueTimelines.value;
  const failure = problem ?? (ownLabels.value ? undefined : labels.value.problem);
  const shown = value?.by === shownLabel.value ? value : undefined;
  const loading = state === "loading" || labels.value.state === "loading";
  return (
    <section class="labels-panel" aria-label="Labels" data-testid="labels-panel" data-state={state} aria-busy={loading}>
      <Names />
      {failure && <RetryNote problem={failure} />}
      {!failure && unknownLabel.value && (
        <Note title={`No profile in this range has the label ${shownLabel.value}`} testid="label-unknown">
          <p>Choose another label, or a longer time range.</p>
        </Note>
      )}
      {!failure && !loading && shownLabel.value === "" && (
        <NothingHere>{lacksProfiles() ? NO_PROFILES : "The profiles in this range carry no labels."}</NothingHere>
      )}
      {shown && shown.values.length > 0 && <Values of={shown} key={shown.by} />}
      {!failure && state === "ready" && shown?.values.length === 0 && <NothingHere>{NO_PROFILES}</NothingHere>}
      {!failure && loading && !shown && (
        <p class="soft labels-loading" role="status">
          Reading the values of {shownLabel.value || "a label"}…
        </p>
      )}
    </section>
  );
}

const NO_PROFILES = "No profiles of this type in this range.";

/** Whether the range is known to have no profiles of the service and type, whatever is filtered. */
function lacksProfiles(): boolean {
  const { service, type } = exploreRoute.value;
  const { state, value = [] } = services.value;
  const types = value.find(({ name }) => name === service)?.types ?? [];
  return state === "ready" && !types.some(({ id }) => id === type);
}

/** The labels of the service, each a link. */
function Names() {
  const all = names.value;
  if (all.length === 0) return null;
  return (
    <nav class="label-names" aria-label="Label" data-testid="label-names">
      {all.map((name) => {
        const target = { ...exploreRoute.value, by: { label: name } };
        const count = ownLabels.value?.[name]?.length ?? 0;
        return (
          <a
            key={name}
            class="label-name"
            {...linkTo(target)}
            title={plural(count, "value")}
            aria-current={name === shownLabel.value ? "true" : undefined}
            data-testid="label-name"
          >
            {name} <small>{count}</small>
          </a>
        );
      })}
    </nav>
  );
}

function Values({ of }: { of: ValueTimelines }) {
  const { by, type } = of;
  const pointed = useSignal<string | null>(null);
  const gauge = isGauge(type);
  const rows = valueRows(of);
  const colours = seriesColours(rows.map(({ value }) => value));
  const sides: LabelSides = { name: by, values: chosenSides(of) ?? firstSides(of) };
  const hidden = of.all - rows.length;
  const point = (value: string | null) => {
    pointed.value = value;
  };
  return (
    <>
      <ValueChart
        rows={rows}
        covered={coveredByAll(of)}
        colours={colours}
        type={type}
        pointed={pointed.value}
        onPoint={point}
      />
      <div class="value-head">
        <p class="soft" data-testid="values-note">
          {plural(rows.length, "value")} of {by}
          {hidden > 0 && `; ${hidden} more are not shown${gauge ? "" : `, with ${percent(1 - of.share)} of the total`}`}
          {outsideWords(of)}. {gauge ? "Averages" : "Loads"} are computed over {formatStep(rows[0].series.step)} steps
          with profiles
          {gauge ? "; amounts are averages per snapshot." : "."} {of.rounded && ROUNDED}
        </p>
        {rows.length > 1 && <Compare sides={sides} />}
      </div>
      <ValueTable
        by={by}
        rows={rows}
        colours={colours}
        type={type}
        sides={sides}
        pointed={pointed.value}
        onPoint={point}
        onSides={([before, after]) => {
          // A value that is the other side already changes places with it.
          const [first, second] = before === after ? sides.values.toReversed() : [before, after];
          go({ by: { label: by, before: first, after: second } });
        }}
      />
    </>
  );
}

/** "; 1 more is outside the filters": the values of the range that the links above count, and these are without. */
function outsideWords({ by, values, all }: ValueTimelines): string {
  // Of values that aren't listed one may be that of profiles without the label.
  if (all > values.length) return "";
  const { base, window } = exploreRoute.value;
  const named = values.some(({ value }) => value === "") ? all - 1 : all;
  const outside = (ownLabels.value?.[by]?.length ?? 0) - named;
  if (outside <= 0) return "";
  const places = [...(base.filters.length > 0 ? ["the filters"] : []), ...(window ? ["the selection"] : [])];
  return places.length === 0 ? "" : `; ${outside} more ${outside === 1 ? "is" : "are"} outside ${places.join(" or ")}`;
}

/** Those that the link names of this label, unless a filter leaves one out. */
function chosenSides({ by, values, all }: ValueTimelines): [string, string] | null {
  const comparing = comparingOf(exploreRoute.value.by);
  if (comparing === null || comparing === "time" || comparing.label !== by) return null;
  const named = namedValues(comparing);
  const isThere = (value: string) => all > values.length || values.some((one) => one.value === value);
  return named?.every(isThere) ? named : null;
}

/** Of versions the last two, which are before and after a deploy; else the two largest values. */
function firstSides({ by, values, all }: ValueTimelines): [string, string] {
  const last = latestShown.value;
  if (last?.sides.name === by && exploreRoute.value.window === null) return last.sides.values;
  // A new version may be among those that are not shown.
  const versions = isVersion(by) && all === values.length && latestTwo(values);
  if (versions) return versions;
  const [first, second = first] = values
    .slice(0, 2)
    .map(({ value }) => value)
    .sort(natural);
  return [first, second];
}

function Compare({ sides }: { sides: LabelSides }) {
  const [before, after] = sides.values.map(valueName);
  return (
    <a
      class="control primary"
      href={href(comparedLabels(exploreRoute.value, sides))}
      title="Compare these two values, function by function"
      data-testid="compare-values"
      onClick={(event) => onPlainClick(event, () => compareLabels(sides))}
    >
      <Icon name="swap" />
      Compare {before} ↔ {after}
    </a>
  );
}
