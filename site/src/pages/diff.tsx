import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../components/controls/icon.tsx";
import { Menu } from "../components/controls/menu.tsx";
import { Header } from "../components/header/header.tsx";
import { lazy } from "../components/lazy.tsx";
import { Filters } from "../components/query/filters.tsx";
import { ProfileSelect } from "../components/query/profileselect.tsx";
import { RangePicker } from "../components/query/rangepicker.tsx";
import { Timeline, TimelineProblem } from "../components/query/timeline.tsx";
import { Marks } from "../components/query/timelinemarks.tsx";
import { VersionPresets } from "../components/query/versionpresets.tsx";
import { Footer } from "../components/status/footer.tsx";
import { capital } from "../format/capital.ts";
import { smallWindow } from "../state/page/smallwindow.ts";
import type { Problem } from "../state/problem.ts";
import { sideSeries, timelines } from "../state/query/compare.ts";
import { comparedMarks, sharedFilters } from "../state/query/comparedversions.ts";
import { comparisonLabel, labelComparisons } from "../state/query/labels.ts";
import { apart, placeOf, wholeSpan } from "../state/query/place.ts";
import { sidePlace } from "../state/query/placenames.ts";
import { matcherLabel } from "../state/query/selector.ts";
import { labels, otherLabels, span } from "../state/query/services.ts";
import { askedVersions } from "../state/query/shownmarks.ts";
import {
  earlierSides,
  exploreSide,
  halfSides,
  labelSides,
  periodSides,
  SIDE_TITLES,
  setSide,
  sideSpan,
  swapSides,
  timelineSpan,
} from "../state/query/sides.ts";
import { clock, refresh } from "../state/url/clock.ts";
import { initialRoute } from "../state/url/route.ts";
import { diffRoute, go } from "../state/url/router.ts";
import type { Side, SideName } from "../state/url/values.ts";
import { fixed, rangeLabel, resolve } from "../time/range.ts";
import { Picture } from "../views/picture.tsx";

const NoData = lazy(() => import("../components/status/nodata.tsx").then((module) => module.NoData));

/** Baseline against comparison. */
export function Diff() {
  return (
    <>
      <Header>
        <ProfileSelect />
        <span class="spacer" />
        {apart.value ? <PlacePresets /> : <Presets />}
        <div class="header-last">
          <button type="button" class="control" title="Swap the sides (x)" data-testid="swap" onClick={swapSides}>
            <Icon name="swap" />
            <span class="wide">Swap</span>
          </button>
          <button type="button" class="control icon-only" title="Refresh" onClick={refresh}>
            <Icon name="refresh" />
          </button>
        </div>
      </Header>
      <div class="sides">
        <SidePanel name="base" />
        <SidePanel name="other" />
      </div>
      <main class="main">
        <Picture empty={<NoData />} none={<NoData />} />
      </main>
      <Footer />
    </>
  );
}

function SidePanel({ name }: { name: SideName }) {
  const title = capital(SIDE_TITLES[name]);
  const details = useRef<HTMLDetailsElement>(null);
  const opened = useSignal(false);
  const folds = smallWindow.value;
  const folded = folds && !opened.value;
  const { problem } = timelines[name].value;
  // What is being typed stays in view when a phone is turned.
  useLayoutEffect(() => {
    if (folds && details.current?.contains(document.activeElement)) opened.value = true;
  }, [folds]);
  const heading = (
    <>
      <h2>{title}</h2>
      {apart.value && (
        <span class="side-place" title={placeOf(name)} data-testid={`place-${name}`}>
          {sidePlace(name)}
        </span>
      )}
    </>
  );
  return (
    <section class={`side ${name}`} aria-label={title} data-testid={`side-${name}`}>
      {/* The same in large windows, so that the controls keep their state when the window changes. */}
      <details
        ref={details}
        open={!folded}
        onToggle={({ currentTarget }) => {
          if (smallWindow.peek()) opened.value = currentTarget.open;
        }}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button, for keys as well. */}
        <summary
          hidden={!folds}
          onClick={(event) => {
            // The browser says only later that it opened it, and the window may have become large by then.
            event.preventDefault();
            opened.value = folded;
          }}
        >
          {folds && heading}
          <span class="side-summary">{summaryOf(diffRoute.value[name])}</span>
        </summary>
        <SideControls name={name} title={title} problem={folded ? undefined : problem}>
          {!folds && heading}
        </SideControls>
      </details>
      {folded && problem && <TimelineProblem problem={problem} />}
    </section>
  );
}

/** What a side is of, in a line: "16:05 – 17:05 · version=1.8.2". */
function summaryOf({ filters, ...range }: Side): string {
  return [rangeLabel(range, clock.value), ...filters.map(matcherLabel)].join(" · ");
}

function SideControls(props: {
  name: SideName;
  title: string;
  problem: Problem | undefined;
  children: ComponentChildren;
}) {
  const { name, title, problem, children } = props;
  const side = diffRoute.value[name];
  const timeline = timelines[name].value.value;
  const whole = apart.value && wholeSpan(name);
  const series = sideSeries.value[name];
  const marks = comparedMarks.value;
  return (
    <>
      <div class="side-head">
        {children}
        <RangePicker
          range={side}
          title={`${title} time range`}
          testid={`range-${name}`}
          onChange={(range) => go({ [name]: { ...side, ...range }, around: null })}
        />
        <Filters
          filters={side.filters}
          labels={(name === "other" && apart.value ? otherLabels : labels).value}
          testid={`filters-${name}`}
          onChange={(filters) => setSide(name, { filters })}
        />
      </div>
      <Timeline
        series={series}
        peak={sideSeries.value.peak}
        problem={problem}
        type={timeline?.type ?? diffRoute.value.type}
        window={sideSpan(name)}
        label={`${title} timeline`}
        testid={`timeline-${name}`}
        marks={marks}
        onSelect={(chosen) =>
          go({ [name]: { ...side, ...fixed(chosen) }, around: apart.value ? null : timelineSpan(name) })
        }
        onClear={() => (whole ? setSide(name, fixed(whole)) : go({ around: null }))}
      >
        {series && <Marks series={series} marks={marks} />}
      </Timeline>
    </>
  );
}

/** Of two places: all of both, or one alone. */
function PlacePresets() {
  const { service, type } = diffRoute.value;
  const choices = [
    { label: "Show both sides in full", choose: () => go({ ...initialRoute("diff"), service, type }) },
    { label: "Show only the baseline side", choose: () => exploreSide("base") },
    { label: "Show only the comparison side", choose: () => exploreSide("other") },
  ];
  return (
    <Menu label="Compare…" title="What to compare" testid="presets" class="control caret">
      {(close) => (
        <div class="menu-list">
          {choices.map(({ label, choose }) => (
            <button
              type="button"
              key={label}
              onClick={() => {
                close();
                choose();
              }}
            >
              {label}
            </button>
          ))}
        </div>
      )}
    </Menu>
  );
}

/** How far back the baseline may lie for the comparison that is shown. */
const EARLIER = [
  { label: "Compare with 1 h earlier", millis: 3_600_000 },
  { label: "Compare with 24 h earlier", millis: 86_400_000 },
  { label: "Compare with 7 d earlier", millis: 7 * 86_400_000 },
];

/** Common comparisons in one click, and the way back to one range. */
function Presets() {
  const { base, other, service, type } = diffRoute.value;
  const shared = sharedFilters.value;
  const both = (filters: string[]): [string[], string[]] => [filters, filters];
  const known = labels.value.value ?? {};
  const last = (from: string) => resolve({ from, until: "now" }, clock.value);
  // Those that people use most come first. Versions have a list of their own, as they are asked for.
  const choices = [
    { label: "Last hour against the hour before", sides: () => periodSides(last("now-1h"), both(shared)) },
    ...EARLIER.map(({ label, millis }) => ({
      label,
      sides: () => earlierSides(resolve(other, clock.value), millis, both(other.filters)),
    })),
    { label: "Last 24 h against the day before", sides: () => periodSides(last("now-24h"), both(shared)) },
    ...labelComparisons(known, askedVersions(known)).map((sides) => ({
      label: comparisonLabel(sides),
      sides: () => labelSides(fixed(span.value), shared, sides),
    })),
    {
      label: "Same time range, different labels",
      sides: () => ({ base: { ...base, ...fixed(span.value) }, other: { ...other, ...fixed(span.value) } }),
    },
    { label: "Halves of the current range", sides: () => halfSides(span.value, both(shared)) },
    { label: "Halves of the last hour", sides: () => halfSides(last("now-1h"), both(shared)) },
  ];
  return (
    <Menu label="Compare…" title="What to compare" testid="presets" class="control caret">
      {(close) => (
        <>
          <div class="menu-list">
            {choices.map(({ label, sides }) => (
              <button
                type="button"
                key={label}
                onClick={() => {
                  close();
                  go({ ...sides(), around: null });
                }}
              >
                {label}
              </button>
            ))}
            <button
              type="button"
              onClick={() => {
                close();
                go({ ...initialRoute("explore"), service, type, base: { ...fixed(span.value), filters: shared } });
              }}
            >
              No comparison: explore both ranges together
            </button>
          </div>
          <VersionPresets close={close} />
          <p class="hint">To compare two services, export both as pprof and open the two files.</p>
        </>
      )}
    </Menu>
  );
}
