import type { ComponentChildren } from "preact";
import { lazy } from "../components/lazy.tsx";
import { Loading } from "../components/status/loading.tsx";
import { Note, ProblemNote } from "../components/status/problemnote.tsx";
import { RetryNote } from "../components/status/retrynote.tsx";
import { StaleNote } from "../components/status/stalenote.tsx";
import { drawerOpen } from "../state/profile/draweropen.ts";
import { tree } from "../state/profile/focus.ts";
import { frameMenu } from "../state/profile/menuframe.ts";
import { seenView } from "../state/profile/offeredviews.ts";
import { shown } from "../state/profile/shown.ts";
import { refresh } from "../state/url/clock.ts";
import type { View } from "../state/url/route.ts";
import { route } from "../state/url/router.ts";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { Flame } from "./flame.tsx";
import { Steps } from "./stepbar.tsx";
import { Table } from "./table.tsx";
import { Toolbar } from "./toolbar.tsx";

/** The picture in all its states. `empty` says why there may be nothing and offers a way out. */
export function Picture({ none, empty }: { none?: ComponentChildren; empty?: ComponentChildren }) {
  const answer = shown.value;
  if (answer.state === "ready") return <Views />;
  // A file that could not be read is not read by asking again.
  const Failure = route.value.page === "file" ? ProblemNote : RetryNote;
  return (
    <div class="stage">
      {answer.state === "error" && <Failure problem={answer.problem} />}
      {answer.state === "cancelled" && (
        <Note title="Stopped" testid="cancelled">
          <button type="button" class="control primary" onClick={refresh}>
            Load again
          </button>
        </Note>
      )}
      {answer.state === "empty" && empty}
      {answer.state === "none" && none}
      <Loading />
    </div>
  );
}

/** Views that are laid out as others are. */
const LAYOUTS: Partial<Record<View, View>> = { sandwich: "both", chart: "flame", lines: "both", sides: "flame" };

const Drawer = lazy(() => import("./drawer.tsx").then((module) => module.Drawer));
const FrameMenu = lazy(() => import("./framemenu.tsx").then((module) => module.FrameMenu));
const CallTree = lazy(() => import("./calltree.tsx").then((module) => module.CallTree));
const Sandwich = lazy(() => import("./sandwich.tsx").then((module) => module.Sandwich));
const Lines = lazy(() => import("./lines/lines.tsx").then((module) => module.Lines));
const CallGraph = lazy(() => import("./graph/callgraph.tsx").then((module) => module.CallGraph));
const SideBySide = lazy(() => import("./sidebyside.tsx").then((module) => module.SideBySide));
const HeatmapStrip = lazy(() => import("./heatmap.tsx").then((module) => module.HeatmapStrip));

function Views() {
  const view = seenView.value;
  const timed = shown.value.state === "ready" && shown.value.subject?.timed;
  const info = view === "sides" ? tree.value : null;
  const flame = view === "flame" || view === "both" || view === "chart";
  const table = view === "table" || view === "both" || view === "sandwich" || view === "lines";
  // Source lines say of a function what they can, and want the room.
  const drawer = view !== "lines";
  return (
    <>
      <StaleNote />
      <Toolbar />
      {timed && <HeatmapStrip />}
      <Steps />
      <Breadcrumbs />
      <div class={`views ${LAYOUTS[view] ?? view}${drawer && drawerOpen.value ? " with-drawer" : ""}`}>
        {table && <Table />}
        {flame && <Flame />}
        {info?.diff && <SideBySide info={info} diff={info.diff} />}
        {view === "tree" && <CallTree />}
        {view === "sandwich" && <Sandwich />}
        {view === "lines" && <Lines />}
        {view === "graph" && <CallGraph />}
        {drawer && drawerOpen.value && <Drawer />}
        <Loading />
      </div>
      {frameMenu.value && <FrameMenu />}
    </>
  );
}
