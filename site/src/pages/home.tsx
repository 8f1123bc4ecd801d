import type { Service } from "../api.ts";
import { Icon } from "../components/controls/icon.tsx";
import { linkTo } from "../components/controls/link.ts";
import { Select } from "../components/controls/select.tsx";
import { DropZone } from "../components/files/dropzone.tsx";
import { Header } from "../components/header/header.tsx";
import { lazy } from "../components/lazy.tsx";
import { RangePicker } from "../components/query/rangepicker.tsx";
import { ServiceList } from "../components/services/servicelist.tsx";
import { RetryNote } from "../components/status/retrynote.tsx";
import { readAlike, typeLabel, typeParts } from "../format/type.ts";
import { hasDemoData } from "../state/page/demodata.ts";
import { settingsOpen } from "../state/page/settingsopen.ts";
import { placeOf } from "../state/query/place.ts";
import { commonType, typesOf } from "../state/query/serviceorder.ts";
import { rememberedServer, server, services } from "../state/query/services.ts";
import { refresh } from "../state/url/clock.ts";
import { initialRoute } from "../state/url/route.ts";
import { go, homeRoute } from "../state/url/router.ts";

const FiringNote = lazy(() => import("../components/alerts/firingnote.tsx").then((module) => module.FiringNote));
const SavedViews = lazy(() => import("../components/services/savedviews.tsx").then((module) => module.SavedViews));
const SharedList = lazy(() => import("../components/files/sharedlist.tsx").then((module) => module.SharedList));
const NoServices = lazy(() => import("../components/services/noservices.tsx").then((module) => module.NoServices));
const DemoNote = lazy(() => import("../components/services/demonote.tsx").then((module) => module.DemoNote));
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
        <DropZone wide={!withServer}>
          {withServer && (
            <>
              {placeOf("base") === "" && <SavedViews />}
              <SharedList />
            </>
          )}
        </DropZone>
        {withServer && <Services found={found} />}
      </main>
    </>
  );
}

function Controls({ found }: { found: Service[] }) {
  const { base, type } = homeRoute.value;
  const types = typesOf(found);
  const chosen = types.find((id) => readAlike(id, type)) ?? commonType(found);
  return (
    <>
      {types.length > 0 && (
        <Select
          label="Type"
          testid="type"
          value={chosen}
          options={types.map((value) => ({ value, label: labelAmong(types, value) }))}
          onChange={(value) => go({ type: value }, "replace")}
        />
      )}
      <span class="spacer" />
      {server.value === "present" && placeOf("base") === "" && <FiringNote />}
      <RangePicker
        range={base}
        title="Time range"
        testid="range"
        onChange={(range) => go({ base: { ...base, ...range } })}
      />
      <button type="button" class="control icon-only" title="Refresh" data-testid="refresh" onClick={refresh}>
        <Icon name="refresh" />
      </button>
      {placeOf("base") === "" && (
        <>
          <a
            class="control"
            {...linkTo(initialRoute("rules"))}
            title="Recording rules: metrics made from profiles, and alerts on them"
            data-testid="rules-link"
          >
            <Icon name="chart" />
            <span class="wide">Rules &amp; alerts</span>
          </a>
          <button
            type="button"
            class="control icon-only"
            title="Saved views and settings"
            data-testid="settings-button"
            onClick={() => (settingsOpen.value = true)}
          >
            <Icon name="sliders" />
          </button>
        </>
      )}
    </>
  );
}

/** With its unit where another one has the same name. */
function labelAmong(types: string[], id: string): string {
  const label = typeLabel(id);
  const isShared = types.some((other) => other !== id && typeLabel(other) === label);
  return isShared ? `${label} (${typeParts(id).unit})` : label;
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
      {problem && <RetryNote problem={problem} />}
      {found.length > 0 && hasDemoData.value && placeOf("base") === "" && <DemoNote />}
      {found.length > 0 && <ServiceList found={found} />}
      {found.length === 0 && state === "loading" && <Placeholders />}
      {found.length === 0 && state === "ready" && <NoServices />}
    </section>
  );
}

/** As much room as a row of cards takes, while it is not known how many there are. */
function Placeholders() {
  return (
    <>
      <div class="service-tools" />
      <ul class="cards" role="status" aria-label="Looking for services" data-testid="looking">
        {[0, 1, 2].map((i) => (
          <li key={i} class="card placeholder" aria-hidden="true" />
        ))}
      </ul>
    </>
  );
}
