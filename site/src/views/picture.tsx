import type { ComponentChildren } from "preact";
import { Crumbs } from "../parts/crumbs.tsx";
import { Drawer } from "../parts/drawer.tsx";
import { Loading } from "../parts/loading.tsx";
import { Note, ProblemNote } from "../parts/problem.tsx";
import { StaleNote } from "../parts/stale.tsx";
import { Toolbar } from "../parts/toolbar.tsx";
import { refresh } from "../state/clock.ts";
import { drawerOpen } from "../state/drawer.ts";
import { place } from "../state/router.ts";
import { shown } from "../state/shown.ts";
import { Flame } from "./flame.tsx";
import { Table } from "./table.tsx";

/** The picture in all its states. `empty` says why there may be nothing and offers a way out. */
export function Picture({ none, empty }: { none?: ComponentChildren; empty?: ComponentChildren }) {
  const answer = shown.value;
  if (answer.state === "ready") return <Views />;
  return (
    <div class="stage">
      {answer.state === "error" && (
        <ProblemNote problem={answer.problem}>
          {place.value.route !== "file" && (
            <button type="button" class="control primary" onClick={refresh}>
              Try again
            </button>
          )}
        </ProblemNote>
      )}
      {answer.state === "cancelled" && (
        <Note title="Stopped" testid="cancelled">
          <button type="button" class="control primary" onClick={refresh}>
            Load it after all
          </button>
        </Note>
      )}
      {answer.state === "empty" && empty}
      {answer.state === "none" && none}
      <Loading />
    </div>
  );
}

function Views() {
  const { view } = place.value;
  return (
    <>
      <StaleNote />
      <Toolbar />
      {view !== "table" && <Crumbs />}
      <div class={`views ${view}${drawerOpen.value ? " with-drawer" : ""}`}>
        {view !== "flame" && <Table />}
        {view !== "table" && <Flame />}
        <Drawer />
        <Loading />
      </div>
    </>
  );
}
