import { useEffect } from "preact/hooks";
import { Icon } from "../components/controls/icon.tsx";
import { linkTo } from "../components/controls/link.ts";
import { Header } from "../components/header/header.tsx";
import { lazy } from "../components/lazy.tsx";
import { Filters } from "../components/query/filters.tsx";
import { Panels, panelOf } from "../components/query/panels.tsx";
import { ProfileSelect } from "../components/query/profileselect.tsx";
import { RangePicker } from "../components/query/rangepicker.tsx";
import { Timeline } from "../components/query/timeline.tsx";
import { Footer } from "../components/status/footer.tsx";
import { reportFailure } from "../state/page/failure.ts";
import { takePrograms } from "../state/profile/instead.ts";
import { comparisonHere } from "../state/query/comparison.ts";
import { labelComparisons } from "../state/query/labels.ts";
import { links, series, split, timeline } from "../state/query/loadexplore.ts";
import { placeOf } from "../state/query/place.ts";
import { labels, span } from "../state/query/services.ts";
import { allMarks, askedVersions, latestShown, marks } from "../state/query/shownmarks.ts";
import { compareLabels, versionSides } from "../state/query/sides.ts";
import { clock, refresh } from "../state/url/clock.ts";
import { initialRoute } from "../state/url/route.ts";
import { exploreRoute, go } from "../state/url/router.ts";
import { spanLabel } from "../time/range.ts";
import { Picture } from "../views/picture.tsx";

const LinkChips = lazy(() => import("../components/query/linkchips.tsx").then((module) => module.LinkChips));
const Marks = lazy(() => import("../components/query/exploremarks.tsx").then((module) => module.ExploreMarks));
const SplitChoice = lazy(() => import("../components/query/splitcontrols.tsx").then((module) => module.SplitChoice));
const SplitLegend = lazy(() => import("../components/query/splitcontrols.tsx").then((module) => module.SplitLegend));
const NoData = lazy(() => import("../components/status/nodata.tsx").then((module) => module.NoData));

/** Few drop a program here. */
const storeSymbols = (programs: File[]) =>
  void import("../state/query/storedsymbols.ts").then(
    (module) => module.storeSymbols(programs),
    (failure) => reportFailure(failure, "load this part of the page"),
  );

/** One service, one type, a time range. */
export function Explore() {
  const { base, window, type, panel } = exploreRoute.value;
  const Chosen = panelOf(panel);
  const place = placeOf("base");
  useEffect(() => {
    takePrograms.value = place === "" ? storeSymbols : null;
    return () => {
      takePrograms.value = null;
    };
  }, [place]);
  return (
    <>
      <Header>
        <ProfileSelect />
        <Filters
          filters={base.filters}
          labels={labels.value}
          testid="filters"
          compare={compareLabels}
          sides={offeredSides()}
          comparisons={versionComparisons()}
          onChange={(filters) => go({ base: { ...base, filters } })}
        />
        {links.value && panel === "profile" && <LinkChips />}
        <span class="spacer" />
        <CompareLink />
        <div class="header-last">
          {window && (
            <button
              type="button"
              class="chip"
              title="Clear the selected time and show the whole range"
              aria-label={`Clear the selected time ${spanLabel(window, clock.value)}`}
              data-testid="window"
              onClick={() => go({ window: null })}
            >
              {spanLabel(window, clock.value)}
              <Icon name="close" />
            </button>
          )}
          <RangePicker
            range={base}
            title="Time range"
            testid="range"
            onChange={(range) => go({ base: { ...base, ...range }, window: null })}
          />
          <button type="button" class="control icon-only" title="Refresh" data-testid="refresh" onClick={refresh}>
            <Icon name="refresh" />
          </button>
        </div>
      </Header>
      <Timeline
        series={series.value}
        problem={timeline.value.problem}
        type={timeline.value.value?.type ?? type}
        window={window}
        peak={split.value?.peak}
        split={split.value}
        label="Timeline"
        testid="timeline"
        marks={allMarks.value}
        onSelect={(chosen) => go({ window: chosen })}
        onClear={() => window && go({ window: null })}
      >
        {series.value && <Marks />}
      </Timeline>
      {exploreRoute.value.split !== null && (
        <div class="split-legend">
          <SplitLegend />
        </div>
      )}
      <div class="panels-row">
        <Panels />
        <SplitChoice />
      </div>
      {Chosen ? (
        <main class="main panel">
          <Chosen />
        </main>
      ) : (
        <>
          <main class="main">
            <Picture empty={<NoData />} none={<NoData />} />
          </main>
          <Footer />
        </>
      )}
    </>
  );
}

/** Two values of each label, of versions those that came last. */
function offeredSides() {
  const known = labels.value.value ?? {};
  return labelComparisons(known, askedVersions(known), latestShown.value?.sides);
}

/** Before and after the newest versions of the range, or of the window that is seen. */
function versionComparisons() {
  const { service, type, base, window } = exploreRoute.value;
  return versionSides(marks.value, window ?? span.value, base.filters).map(({ label, sides }) => ({
    label,
    choose: () => go({ ...initialRoute("diff"), service, type, ...sides }),
  }));
}

function CompareLink() {
  const { target, title } = comparisonHere();
  return (
    <a class="control" {...linkTo(target)} title={title} data-testid="compare">
      <Icon name="swap" />
      <span class="wide">Compare</span>
    </a>
  );
}
