import { change } from "../format/number.ts";
import { formatValue } from "../format/value.ts";
import { compareTypes, typeLabel, typeParts } from "../format/type.ts";
import type { Service } from "../api.ts";
import { DropZone } from "../parts/dropzone.tsx";
import { follow, Header } from "../parts/header.tsx";
import { Icon } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/problem.tsx";
import { RangePicker } from "../parts/range.tsx";
import { Select } from "../parts/select.tsx";
import { Snippets } from "../parts/snippets.tsx";
import { Sparkline } from "../parts/sparkline.tsx";
import { emptyPlace } from "../state/place.ts";
import { go, href, place } from "../state/router.ts";
import { expected, refresh, server, services } from "../state/services.ts";

/** Two doors: files, and services when there is a server. */
export function Home() {
  const found = services.value.value ?? [];
  const looking = server.value === "unknown" && services.value.problem === undefined;
  const withServer = looking ? expected === "present" : server.value !== "absent";
  return (
    <>
      <Header>{found.length > 0 && <Controls found={found} />}</Header>
      <main class={withServer ? "home" : "home alone"}>
        <DropZone wide={!withServer} />
        {withServer && <Services found={found} />}
      </main>
    </>
  );
}

function Controls({ found }: { found: Service[] }) {
  const { base, type } = place.value;
  const types = [...new Set(found.flatMap((service) => service.types.map(({ id }) => id)))].sort(compareTypes);
  return (
    <>
      <Select
        label="Type"
        testid="type"
        value={type || types[0]}
        options={types.map((value) => ({ value, label: typeLabel(value) }))}
        onChange={(value) => go({ type: value }, "replace")}
      />
      <span class="spacer" />
      <RangePicker range={base} title="Time range" testid="range" onChange={(range) => go({ base: { ...base, ...range } })} />
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
      {found.length === 0 && state === "loading" && <p class="hint center">Looking for services…</p>}
      {found.length === 0 && state === "ready" && <Nothing />}
    </section>
  );
}

function Card({ service }: { service: Service }) {
  const { type, base } = place.value;
  const shown = service.types.find(({ id }) => id === type) ?? service.types[0];
  const target = { ...emptyPlace("explore"), service: service.name, type: shown?.id ?? "", base };
  const { unit } = typeParts(shown?.id ?? "");
  const [total, before] = [Number(shown?.total ?? 0), Number(shown?.previous ?? 0)];
  return (
    <a class="card" href={href(target)} data-testid="service-card" onClick={(event) => follow(event, () => go(target))}>
      <span class="card-row">
        <span class="card-name">{service.name}</span>
        <span class="card-type">{typeLabel(shown?.id ?? "")}</span>
      </span>
      <Sparkline points={shown?.points ?? []} />
      <span class="card-row">
        <span class="card-total">{formatValue(total, unit)}</span>
        <span class="card-change" title="Against the period of the same length before">
          {before === 0 ? "nothing before" : `${change(before, total)} vs. before`}
        </span>
      </span>
    </a>
  );
}

/** No data yet: how to send some. */
function Nothing() {
  const { base } = place.value;
  const widest = base.from === "now-7d";
  return (
    <div class="nothing" data-testid="empty">
      <h2>{widest ? "No profiles yet" : "No profiles in this range"}</h2>
      {!widest && (
        <p>
          <button type="button" class="control" data-testid="widen" onClick={() => go({ base: { ...base, from: "now-7d", until: "now" } })}>
            Look at the last 7 days
          </button>
        </p>
      )}
      <p>Send some from your program, or fill the server with an hour of made-up history to look around:</p>
      <pre>
        <code>cargo xtask demo</code>
      </pre>
      <Snippets />
    </div>
  );
}
