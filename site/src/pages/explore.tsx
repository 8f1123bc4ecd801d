import { typeParts } from "../format/type.ts";
import { Filters } from "../parts/filters.tsx";
import { Foot } from "../parts/foot.tsx";
import { follow, Header } from "../parts/header.tsx";
import { Icon } from "../parts/icon.tsx";
import { RangePicker } from "../parts/range.tsx";
import { Subject } from "../parts/subject.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { halfSides } from "../state/compare.ts";
import { timeline } from "../state/explore.ts";
import { emptyPlace, type Place } from "../state/place.ts";
import { go, href, place } from "../state/router.ts";
import { clock, refresh, span } from "../state/services.ts";
import { fixed, spanLabel } from "../time/range.ts";
import { NoData } from "../parts/nodata.tsx";
import { Picture } from "../views/picture.tsx";

/** One service, one type, a time range. */
export function Explore() {
  const { base, window, type } = place.value;
  return (
    <>
      <Header>
        <Subject />
        <Filters filters={base.filters} testid="filters" onChange={(filters) => go({ base: { ...base, filters } })} />
        <span class="spacer" />
        <CompareLink />
        {window && (
          <button type="button" class="chip" title="Show the whole range again" data-testid="window" onClick={() => go({ window: null })}>
            {spanLabel(window, clock.value)}
            <Icon name="close" />
          </button>
        )}
        <RangePicker range={base} title="Time range" testid="range" onChange={(range) => go({ base: { ...base, ...range }, window: null })} />
        <button type="button" class="control icon-only" title="Refresh" data-testid="refresh" onClick={refresh}>
          <Icon name="refresh" />
        </button>
      </Header>
      <Timeline
        series={timeline.value.value}
        unit={typeParts(type).unit}
        window={window}
        label="Timeline"
        testid="timeline"
        onSelect={(chosen) => go({ window: chosen, base: { ...base, ...fixed(span.peek()) } })}
        onClear={() => window && go({ window: null })}
      />
      <main class="main">
        <Picture empty={<NoData />} none={<NoData />} />
      </main>
      <Foot />
    </>
  );
}

/** To the difference of the two halves of what is seen. */
function CompareLink() {
  const { service, type, base, window } = place.value;
  const sides = halfSides(window ?? span.value, [base.filters, base.filters]);
  const target: Place = { ...emptyPlace("diff"), service, type, ...sides };
  return (
    <a class="control" href={href(target)} title="Compare two time ranges or label values" data-testid="compare" onClick={(event) => follow(event, () => go(target))}>
      <Icon name="swap" />
      <span class="wide">Compare</span>
    </a>
  );
}
