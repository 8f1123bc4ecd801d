/** What every page begins with, that of the site and the one that stands alone. */
import { effect } from "@preact/signals";
import type { ComponentType } from "preact";
import { render } from "preact";
import { App } from "./app.tsx";
import { startKeys } from "./keys.ts";
import { showSettled } from "./settled.ts";
import { reportUncaught } from "./state/page/failure.ts";
import { startDrawing } from "./state/profile/draw.ts";
import { startDrawer } from "./state/profile/draweropen.ts";
import { startFocus } from "./state/profile/focus.ts";
import { startSandwich } from "./state/profile/sandwichtrees.ts";
import { shown } from "./state/profile/shown.ts";
import type { Page } from "./state/url/route.ts";
import { route } from "./state/url/router.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/details.css";
import "./style/picture.css";
import "./style/views.css";
import "./style/cards.css";
import "./style/pages.css";
import "./style/small.css";

/** Of pages whose content has none. */
const TITLES: Partial<Record<Page, string>> = { rules: "Rules", alerts: "Alerts" };

export function start(Page: ComponentType): void {
  effect(() => {
    const answer = shown.value;
    const title = answer.state === "ready" ? answer.title : (TITLES[route.value.page] ?? "");
    document.title = [title, "Pilotlight"].filter(Boolean).join(" · ");
  });
  reportUncaught();
  startDrawing();
  startFocus();
  startSandwich();
  startDrawer();
  startKeys();
  render(
    <App>
      <Page />
    </App>,
    document.getElementById("app") ?? document.body,
  );
  showSettled(document.documentElement);
}
