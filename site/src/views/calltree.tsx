// biome-ignore-all lint/a11y/useFocusableInteractive: the tree has the focus and says which row is active.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the tree has the keys, too.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Flag } from "../core/boxes.ts";
import { core } from "../core/index.ts";
import { NONE, type NodeDetail, type TreeInfo } from "../core/types.ts";
import { capital } from "../format/capital.ts";
import {
  activeRow,
  callerOf,
  closeRow,
  describeRows,
  followTree,
  openRow,
  rowAt,
  rowCount,
  type TreeRow,
} from "../state/profile/calltreerows.ts";
import { current, flagsVersion, searchResult, select, selected, tree, zoomTo } from "../state/profile/focus.ts";
import { callFailed } from "../state/profile/shown.ts";
import { group } from "../state/profile/stepchanges.ts";
import { go } from "../state/url/router.ts";
import { Counted, Name, Values } from "./cells.tsx";
import { ROW_HEIGHT, rowsIn, useSeen } from "./rows.ts";

/** Deeper rows are not indented further: a name needs room. */
const DEEPEST_INDENT = 24;

/** The call tree as rows that open. */
export function CallTree() {
  const scroller = useRef<HTMLDivElement>(null);
  const seen = useSeen(scroller);
  const active = activeRow.value;
  useEffect(followTree, []);
  // The active row stays in view, whatever moved it: keys, a search, another view. Its place is there once it is rendered.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || active < 0) return;
    const head = ROW_HEIGHT + 1;
    const top = active * ROW_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + head + ROW_HEIGHT > element.scrollTop + element.clientHeight)
      element.scrollTop = top + head + ROW_HEIGHT - element.clientHeight;
  }, [active]);
  const info = tree.value;
  const { first, last } = rowsIn(seen.value, rowCount.value);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => rowAt(first + i));
  const missing = rows.some((row) => row && !row.detail);
  useEffect(() => {
    if (missing) void describeRows(first, last);
  }, [missing, first, last]);
  const flagsOf = useFlags(
    info,
    rows.flatMap((row) => row?.detail?.func ?? []),
  );
  // The search's field has the focus while its matches are shown.
  const stepping = (searchResult.value?.matches ?? 0) > 0;
  return (
    <div class="table call-tree" ref={scroller} data-testid="calltree">
      {info && (
        <div class={`grid ${info.diff ? "diff" : ""} ${info.inverted ? "inverted" : ""}`}>
          <div class="table-head" aria-hidden="true">
            <div class="row">
              {columns(info).map((label, i) => (
                <span key={label}>
                  {label}
                  {i > 0 && (!info.diff || label === "Change") && <Counted info={info} />}
                </span>
              ))}
            </div>
          </div>
          <div
            role="tree"
            aria-label="Call tree"
            tabIndex={0}
            aria-activedescendant={first <= active && active < last ? idOf(current.value) : undefined}
            class={stepping ? "table-body stepping" : "table-body"}
            style={{ height: `${rowCount.value * ROW_HEIGHT}px` }}
            onKeyDown={(event) => {
              if (onKey(event)) event.preventDefault();
            }}
          >
            {rows.map(
              (row, i) =>
                row && <Row key={row.node} row={row} index={first + i} info={info} flags={flagsOf(row.detail?.func)} />,
            )}
          </div>
        </div>
      )}
    </div>
  );
}

function columns({ diff, inverted }: TreeInfo): string[] {
  const name = capital(group.value);
  if (diff) return [name, "Baseline total", "Comparison total", "Change", ...(inverted ? [] : ["Self change"])];
  return inverted ? [name, "Total"] : [name, "Self", "Total"];
}

/** Which functions a search means, asked anew when it changes. */
function useFlags(info: TreeInfo | null, funcs: number[]): (func: number | undefined) => number {
  const found = useSignal({ tree: -1, flags: new Map<number | undefined, number>() });
  const version = flagsVersion.value;
  useEffect(() => {
    if (!info || funcs.length === 0) return;
    void core.marks(info.id, funcs).then(
      (marks) => {
        found.value = { tree: info.id, flags: new Map(funcs.map((func, i) => [func, marks[i]])) };
      },
      callFailed(info.id, "highlight the matches"),
    );
  }, [info, version, funcs.join()]);
  const { tree, flags } = found.value;
  return (func) => (tree === info?.id ? (flags.get(func) ?? 0) : 0);
}

function Row({ row, index, info, flags }: { row: TreeRow; index: number; info: TreeInfo; flags: number }) {
  const { node, detail, level, open, position, siblings } = row;
  const children = detail?.children ?? 0;
  const isTwisty = (target: EventTarget | null) => children > 0 && (target as Element).matches(".twisty");
  const toggle = () => children > 0 && (open ? closeRow(node) : openRow(node));
  return (
    <div
      role="treeitem"
      id={idOf(node)}
      class="row"
      aria-level={level}
      aria-expanded={children > 0 ? open : undefined}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={node === selected.value}
      data-active={node === current.value}
      data-match={flags & Flag.Searching ? (flags & Flag.Match) !== 0 : undefined}
      data-testid="treeitem"
      data-node={node}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
      onClick={({ target }) => {
        current.value = node;
        if (isTwisty(target)) void toggle();
        else void select(node);
      }}
      onDblClick={({ target }) => !isTwisty(target) && void toggle()}
    >
      {detail ? <Cells detail={detail} level={level} info={info} /> : <span>…</span>}
    </div>
  );
}

function Cells({ detail, level, info }: { detail: NodeDetail; level: number; info: TreeInfo }) {
  const { name, file, children, fraction } = detail;
  return (
    <>
      <span
        class="name"
        title={file ? `${name}\n${file}` : name}
        style={{ "--level": Math.min(level - 1, DEEPEST_INDENT) }}
      >
        <span class={children > 0 ? "twisty" : "twisty none"} aria-hidden="true" />
        <Name name={name} />
      </span>
      <Values of={{ ...detail, total_fraction: fraction }} unit={info.unit} self={!info.inverted} />
    </>
  );
}

function idOf(node: number): string {
  return `call-${node}`;
}

/** The keys of a tree, as other trees have them; whether it was one. */
function onKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  const active = Math.max(activeRow.peek(), 0);
  const row = rowAt(active);
  if (!row) return false;
  const { node, open } = row;
  const to = (index: number) => {
    const next = rowAt(Math.min(Math.max(index, 0), rowCount.peek() - 1));
    if (next) current.value = next.node;
  };
  if (key === "ArrowDown") to(active + 1);
  else if (key === "ArrowUp") to(active - 1);
  else if (key === "Home") to(0);
  else if (key === "End") to(rowCount.peek() - 1);
  else if (key === "ArrowRight") {
    if (open) to(active + 1);
    else void openRow(node);
  } else if (key === "ArrowLeft") {
    if (open) closeRow(node);
    else to(callerOf(active));
  } else if (key === " ") void select(node === selected.peek() ? NONE : node);
  else if (key === "Enter") {
    go({ view: "flame" });
    void zoomTo(node);
  } else return false;
  return true;
}
