/** Which page is shown, and what it loads. */
import { computed, effect, type ReadonlySignal, untracked } from "@preact/signals";
import type { ComponentType } from "preact";
import { lazy } from "../components/lazy.tsx";
import { start } from "../start.tsx";
import "../state/page/zonesetting.ts";
import { loadFiles } from "../state/profile/files.ts";
import { loadAddresses } from "../state/profile/opening.ts";
import { clear } from "../state/profile/shown.ts";
import { loadCompare } from "../state/query/compare.ts";
import { chooseDefaults, loadExplore } from "../state/query/loadexplore.ts";
import { known } from "../state/query/place.ts";
import type { Page } from "../state/url/route.ts";
import { route } from "../state/url/router.ts";
import { Explore } from "./explore.tsx";
import { FilePage } from "./file.tsx";
import { Home } from "./home.tsx";

const Alerts = lazy(() => import("../components/alerts/alerting.ts").then((module) => module.Alerts));
const Diff = lazy(() => import("./diff.tsx").then((module) => module.Diff));
const Rules = lazy(() => import("../components/rules/recording.ts").then((module) => module.Rules));
const PAGES: Record<Page, ComponentType> = {
  home: Home,
  explore: Explore,
  diff: Diff,
  file: FilePage,
  rules: Rules,
  alerts: Alerts,
};
const LOADERS: Partial<Record<Page, () => void>> = { explore: loadExplore, diff: loadCompare, file: loadFiles };
export const page: ReadonlySignal<Page> = computed(() => route.value.page);

export function startPages(): void {
  // What one page shows means nothing on the next: it leaves the screen before the next page asks for its own.
  effect(() => {
    if (!known.value) return;
    const load = LOADERS[page.value];
    untracked(clear);
    return load && effect(load);
  });
  effect(chooseDefaults);
  effect(loadAddresses);
  start(function Page() {
    const Chosen = PAGES[page.value];
    return known.value && <Chosen />;
  });
}
