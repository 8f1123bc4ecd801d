import { computed, effect, untracked } from "@preact/signals";
import { core } from "./core/index.ts";
import { startOffline } from "./offline.ts";
import { Diff } from "./pages/diff.tsx";
import { Explore } from "./pages/explore.tsx";
import { FilePage } from "./pages/file.tsx";
import { Home } from "./pages/home.tsx";
import { start } from "./start.tsx";
import { loadFiles } from "./state/profile/files.ts";
import { loadAddresses } from "./state/profile/opening.ts";
import { clear } from "./state/profile/shown.ts";
import { loadCompare } from "./state/query/compare.ts";
import { chooseDefaults, loadExplore } from "./state/query/explore.ts";
import { known } from "./state/query/place.ts";
import { urlState } from "./state/url/router.ts";
import type { Route } from "./state/url/urlstate.ts";

const PAGES: Record<Route, () => preact.JSX.Element> = { home: Home, explore: Explore, diff: Diff, file: FilePage };
const LOADERS: Record<Route, () => void> = { home: () => {}, explore: loadExplore, diff: loadCompare, file: loadFiles };
const route = computed(() => urlState.value.route);
// What one page shows means nothing on the next: it leaves the screen before the next page asks for its own.
effect(() => {
  if (!known.value) return;
  const load = LOADERS[route.value];
  untracked(clear);
  return effect(load);
});
effect(chooseDefaults);
effect(loadAddresses);
start(function Page() {
  const Chosen = PAGES[route.value];
  return known.value && <Chosen />;
});
const { embed } = urlState.peek();
if (!embed) startOffline();
else if (parent !== window) void import("./embedded.ts").then((module) => module.startEmbedded());
// Where a file may come, and none is on its way. The person hears of a failure with the file.
if (location.hash === "" && (route.peek() === "file" || route.peek() === "home")) core.warmUp().catch(console.warn);

function openLinked(): void {
  if (route.peek() === "file" && location.hash.startsWith("#p="))
    void import("./state/profile/linked.ts").then((module) => module.openLinked());
}
openLinked();
// Of a link that is followed on the page of files itself, nothing but this changes.
addEventListener("hashchange", openLinked);
