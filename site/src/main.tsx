import { render } from "preact";
import { effect } from "@preact/signals";
import { App } from "./app.tsx";
import { startKeys } from "./keys.ts";
import { startCompare } from "./state/compare.ts";
import { startExplore } from "./state/explore.ts";
import { startFiles } from "./state/files.ts";
import { startFocus } from "./state/focus.ts";
import { place } from "./state/router.ts";
import { clear, shown } from "./state/shown.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/picture.css";
import "./style/pages.css";

// What one page shows means nothing on the next: it leaves the screen before the next page asks for its own.
let route = place.peek().route;
effect(() => {
  if (place.value.route === route) return;
  route = place.value.route;
  clear();
});
effect(() => {
  const answer = shown.value;
  document.title = answer.state === "ready" ? `${answer.title} · Pilotlight` : "Pilotlight";
});
startFocus();
startExplore();
startCompare();
startFiles();
startKeys();
render(<App />, document.getElementById("app")!);
