import { computed, effect, untracked } from "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { startKeys } from "./keys.ts";
import { reportUncaught } from "./state/page/failure.ts";
import { startDrawer } from "./state/profile/drawer.ts";
import { loadFiles } from "./state/profile/files.ts";
import { startFocus } from "./state/profile/focus.ts";
import { clear, shown } from "./state/profile/shown.ts";
import { loadCompare } from "./state/query/compare.ts";
import { chooseDefaults, loadExplore } from "./state/query/explore.ts";
import { urlState } from "./state/url/router.ts";
import type { Route } from "./state/url/urlstate.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/details.css";
import "./style/picture.css";
import "./style/pages.css";

const LOADERS: Record<Route, () => void> = { home: () => {}, explore: loadExplore, diff: loadCompare, file: loadFiles };
const route = computed(() => urlState.value.route);
// What one page shows means nothing on the next: it leaves the screen before the next page asks for its own.
effect(() => {
  const load = LOADERS[route.value];
  untracked(clear);
  return effect(load);
});
effect(chooseDefaults);
effect(() => {
  const answer = shown.value;
  document.title = answer.state === "ready" ? `${answer.title} · Pilotlight` : "Pilotlight";
});
reportUncaught();
startFocus();
startDrawer();
startKeys();
render(<App />, document.getElementById("app") ?? document.body);
