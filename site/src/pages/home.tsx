import type { Service } from "../api.ts";
import { catalogNote } from "../bucket/published.ts";
import { Icon } from "../components/controls/icon.tsx";
import { Select } from "../components/controls/select.tsx";
import { Sparkline } from "../components/controls/sparkline.tsx";
import { DropZone } from "../components/files/dropzone.tsx";
import { Header, onPlainClick } from "../components/header/header.tsx";
import { lazy } from "../components/lazy.tsx";
import { RangePicker } from "../components/query/rangepicker.tsx";
import { ProblemNote } from "../components/status/problemnote.tsx";
import { Snippets } from "../components/status/snippets.tsx";
import { trend } from "../format/trend.ts";
import { compareTypes, isGauge, typeLabel, typeParts } from "../format/type.ts";
import { formatValue, plural } from "../format/value.ts";
import { placeOf } from "../state/query/place.ts";
import { rememberedServer, server, services, span } from "../state/query/services.ts";
import { widest } from "../state/query/sides.ts";
import { refresh } from "../state/url/clock.ts";
import { go, href, urlState } from "../state/url/router.ts";
import { initialUrlState } from "../state/url/urlstate.ts";
import { seriesOf } from "../time/series.ts";

const SharedList = lazy(() => import("../components/files/sharedlist.tsx").then((module) => module.SharedList));
const PlaceNote = lazy(() => import("../components/query/placenote.tsx").then((module) => module.PlaceNote));

/** Two ways in: files, and services when there is a server. */
export function Home() {
  const found = services.value.value ?? [];
  // Until it is known otherwise there is a server, so that nothing jumps where there is one.
  const withServer = server.value === "unknown" ? rememberedServer !== "absent" : server.value === "present";
  return (
    <>
      <Header>{withServer && <Controls found={found} />}</Header>
      <main class={withServer ? "home" : "home alone"}>
        <DropZone wide={!withServer}>{withServer && <SharedList />}</DropZone>
        {withServer && <Services found={found} />}
      </main>
    </>
  );
}

function Controls({ found }: { found: Service[] }) {
  const { base, type } = urlState.value;
  const types = [...new Set(found.flatMap((service) => service.types.map(({ id }) => id)))].sort(compareTypes);
  return (
    <>
      {types.length > 0 && (
        <Select
          label="Type"
          testid="type"
          value={type || types[0]}
          options={types.map((value) => ({ value, label: typeLabel(value) }))}
          onChange={(value) => go({ type: value }, "replace")}
        />
      )}
      <span class="spacer" />
      <RangePicker
        range={base}
        title="Time range"
        testid="range"
        onChange={(range) => go({ base: { ...base, ...range } })}
      />
      <button type="button" class="control icon-only" title="Refresh" data-testid="refresh" onClick={refresh}>
        <Icon name="refresh" />
      </button>
    </>
  );
}

function Services({ found }: { found: Service[] }) {
  const { problem, state } = services.value;
  return (
    <section class="services" aria-label="Services">
      {placeOf("base") !== "" && (
        <div class="place-note">
          <PlaceNote />
        </div>
      )}
      {problem && (
        <ProblemNote problem={problem}>
          <button type="button" class="control primary" onClick={refresh}>
            Try again
          </button>
        </ProblemNote>
      )}
      {found.length > 0 && (
        <ul class="cards" data-testid="services">
          {found.map((service) => (
            <li key={service.name}>
              <Card service={service} />
            </li>
          ))}
        </ul>
      )}
      {found.length === 0 && state === "loading" && <Placeholders />}
      {found.length === 0 && state === "ready" && <Nothing />}
    </section>
  );
}

function Card({ service }: { service: Service }) {
  const { type, base } = urlState.value;
  const shown = service.types.find(({ id }) => id === type) ?? service.types[0];
  const target = { ...initialUrlState("explore"), service: service.name, type: shown?.id ?? "", base };
  const { unit } = typeParts(shown?.id ?? "");
  const gauge = isGauge(shown?.id ?? "");
  const series = shown && seriesOf({ ...shown, start: 0, step: 1 }, gauge);
  const changed = shown && trend(shown, gauge);
  return (
    <a
      class="card"
      href={href(target)}
      data-testid="service-card"
      onClick={(event) => onPlainClick(event, () => go(target))}
    >
      <span class="card-row">
        <span class="card-name">{service.name}</span>
        <span class="card-type">{typeLabel(shown?.id ?? "")}</span>
      </span>
      <Sparkline values={series?.values ?? []} />
      <span class="card-row">
        <span
          class="card-total"
          title={shown && gauge ? `Average of ${plural(shown.profiles, "snapshot")}` : undefined}
        >
          {formatValue(series?.total ?? 0, unit)}
          {gauge && <small> average</small>}
        </span>
        <span class="card-change" title={changed?.title} data-testid="card-change">
          {changed?.text}
        </span>
      </span>
    </a>
  );
}

/** As much room as a row of cards takes, while it is not known how many there are. */
function Placeholders() {
  return (
    <ul class="cards" role="status" aria-label="Looking for services" data-testid="looking">
      {[0, 1, 2].map((i) => (
        <li key={i} class="card placeholder" aria-hidden="true" />
      ))}
    </ul>
  );
}

/** No data yet: how to send some. */
function Nothing() {
  const { base } = urlState.value;
  const { label, range } = widest();
  const whole = base.from === range.from;
  const old = catalogNote(placeOf("base"), span.value.until, Date.now());
  return (
    <div class="nothing" data-testid="empty">
      <h2>{whole ? "No profiles yet" : "No profiles in this range"}</h2>
      {old && <p>{old}</p>}
      {!whole && (
        <p>
          <button type="button" class="control" data-testid="widen" onClick={() => go({ base: { ...base, ...range } })}>
            {label}
          </button>
        </p>
      )}
      {placeOf("base") === "" && (
        <>
          <p>Send some from your program, or fill the server with an hour of made-up history to look around:</p>
          <pre>
            <code>cargo xtask demo</code>
          </pre>
          <Snippets />
        </>
      )}
    </div>
  );
}
