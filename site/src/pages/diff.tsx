import { typeParts } from "../format/type.ts";
import { Filters } from "../parts/filters.tsx";
import { Foot } from "../parts/foot.tsx";
import { Header } from "../parts/header.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { NoData } from "../parts/nodata.tsx";
import { RangePicker } from "../parts/range.tsx";
import { Subject } from "../parts/subject.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { halfSides, periodSides, setSide, sideSpan, swapSides, timelines, type SideName } from "../state/compare.ts";
import { emptyPlace } from "../state/place.ts";
import { go, place } from "../state/router.ts";
import { clock, refresh, span } from "../state/services.ts";
import { fixed, resolve } from "../time/range.ts";
import { Picture } from "../views/picture.tsx";

const TITLES: Record<SideName, string> = { base: "Baseline", other: "Comparison" };

/** Baseline against comparison. */
export function Diff() {
  return (
    <>
      <Header>
        <Subject />
        <span class="spacer" />
        <Presets />
        <button type="button" class="control" title="Swap the sides (x)" data-testid="swap" onClick={swapSides}>
          <Icon name="swap" />
          <span class="wide">Swap</span>
        </button>
        <button type="button" class="control icon-only" title="Refresh" onClick={refresh}>
          <Icon name="refresh" />
        </button>
      </Header>
      <div class="sides">
        <SidePanel name="base" />
        <SidePanel name="other" />
      </div>
      <main class="main">
        <Picture empty={<NoData />} none={<NoData />} />
      </main>
      <Foot />
    </>
  );
}

function SidePanel({ name }: { name: SideName }) {
  const side = place.value[name];
  return (
    <section class={`side ${name}`} aria-label={TITLES[name]} data-testid={`side-${name}`}>
      <div class="side-head">
        <h2>{TITLES[name]}</h2>
        <RangePicker range={side} title={`Time range of the ${TITLES[name].toLowerCase()}`} testid={`range-${name}`} onChange={(range) => setSide(name, range)} />
        <Filters filters={side.filters} testid={`filters-${name}`} onChange={(filters) => setSide(name, { filters })} />
      </div>
      <Timeline
        series={timelines[name].value.value}
        unit={typeParts(place.value.type).unit}
        window={sideSpan(name)}
        label={`Timeline of the ${TITLES[name].toLowerCase()}`}
        testid={`timeline-${name}`}
        onSelect={(chosen) => setSide(name, fixed(chosen))}
        onClear={() => {}}
      />
    </section>
  );
}

/** Common comparisons in one click, and the way back to one range. */
function Presets() {
  const { base, other, service, type } = place.value;
  const filters: [string[], string[]] = [base.filters, other.filters];
  const last = (from: string) => resolve({ from, until: "now" }, clock.value);
  const choices = [
    { label: "Halves of what is shown", sides: () => halfSides(span.value, filters) },
    { label: "Halves of the last hour", sides: () => halfSides(last("now-1h"), filters) },
    { label: "Last hour against the hour before", sides: () => periodSides(last("now-1h"), filters) },
    { label: "Last 24 h against the day before", sides: () => periodSides(last("now-24h"), filters) },
    { label: "Same time, by labels only", sides: () => ({ base: { ...base, ...fixed(span.value) }, other: { ...other, ...fixed(span.value) } }) },
  ];
  return (
    <Menu label="Compare…" title="What to compare" testid="presets" class="control caret">
      {(close) => (
        <div class="menu-list">
          {choices.map(({ label, sides }) => (
            <button type="button" key={label} onClick={() => (close(), go(sides()))}>
              {label}
            </button>
          ))}
          <button
            type="button"
            onClick={() => (close(), go({ ...emptyPlace("explore"), service, type, base: { ...fixed(span.value), filters: base.filters } }))}
          >
            No comparison: explore both ranges together
          </button>
        </div>
      )}
    </Menu>
  );
}
