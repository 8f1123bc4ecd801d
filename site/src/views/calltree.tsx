// biome-ignore-all lint/a11y/useFocusableInteractive: the tree has the focus and says which row is active.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the tree has the keys, too.
import { effect, useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { NONE, type TreeInfo } from "../core/types.ts";
import { closeRow, openRow, type TreeRow, treeRows } from "../state/profile/calltree.ts";
import { current, select, selected, tree, zoomTo } from "../state/profile/focus.ts";
import { go } from "../state/url/router.ts";
import { Name, Values } from "./cells.tsx";
import { ROW_HEIGHT, rowsIn, useSeen } from "./rows.ts";

/** Deeper rows are not indented further: a name needs room. */
const DEEPEST_INDENT = 24;

/** The call tree as rows that open. */
export function CallTree() {
  const scroller = useRef<HTMLDivElement>(null);
  const seen = useSeen(scroller);
  const active = useComputed(() => treeRows.value.findIndex(({ detail }) => detail.node === current.value));
  // The active row stays in view, whatever moved it: keys, a search, another view.
  useEffect(
    () =>
      effect(() => {
        const element = scroller.current;
        if (!element || active.value < 0) return;
        const head = ROW_HEIGHT + 1;
        const top = active.value * ROW_HEIGHT;
        if (top < element.scrollTop) element.scrollTop = top;
        else if (top + head + ROW_HEIGHT > element.scrollTop + element.clientHeight)
          element.scrollTop = top + head + ROW_HEIGHT - element.clientHeight;
      }),
    [],
  );
  const info = tree.value;
  const rows = treeRows.value;
  const { first, last } = rowsIn(seen.value, rows.length);
  return (
    <div class="table call-tree" ref={scroller} data-testid="calltree">
      {info && (
        <div class={info.diff ? "grid diff" : "grid"}>
          <div class="table-head" aria-hidden="true">
            <div class="row">
              {(info.diff ? ["Function", "Baseline", "Comparison", "Change"] : ["Function", "Self", "Total"]).map(
                (label) => (
                  <span key={label}>{label}</span>
                ),
              )}
            </div>
          </div>
          <div
            role="tree"
            aria-label="Call tree"
            tabIndex={0}
            aria-activedescendant={active.value < 0 ? undefined : idOf(rows[active.value])}
            class="table-body"
            style={{ height: `${rows.length * ROW_HEIGHT}px` }}
            onKeyDown={(event) => {
              if (onKey(event, rows, active.peek())) event.preventDefault();
            }}
          >
            {rows.slice(first, last).map((row, i) => (
              <Row key={row.detail.node} row={row} index={first + i} info={info} />
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

function Row({ row, index, info }: { row: TreeRow; index: number; info: TreeInfo }) {
  const { detail, level, open, position, siblings } = row;
  const { name, file, node, children } = detail;
  const isTwisty = (target: EventTarget | null) => children > 0 && (target as Element).matches(".twisty");
  const toggle = () => children > 0 && (open ? closeRow(node) : openRow(node));
  const amounts = { ...detail, total_fraction: detail.fraction };
  return (
    <div
      role="treeitem"
      id={idOf(row)}
      class="row"
      aria-level={level}
      aria-expanded={children > 0 ? open : undefined}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={node === selected.value}
      data-active={node === current.value}
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
      <span
        class="name"
        title={file ? `${name}\n${file}` : name}
        style={{ paddingLeft: `${Math.min(level - 1, DEEPEST_INDENT) * 14}px` }}
      >
        <span class={children > 0 ? "twisty" : "twisty none"} aria-hidden="true" />
        <Name name={name} />
      </span>
      <Values of={amounts} unit={info.unit} />
    </div>
  );
}

function idOf({ detail }: TreeRow): string {
  return `call-${detail.node}`;
}

/** The keys of a tree, as other trees have them; whether it was one. */
function onKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, rows: TreeRow[], active: number): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  const row = rows[Math.max(active, 0)];
  if (!row) return false;
  const { node, children } = row.detail;
  const to = (index: number) => {
    current.value = rows[Math.min(Math.max(index, 0), rows.length - 1)].detail.node;
  };
  if (key === "ArrowDown") to(active + 1);
  else if (key === "ArrowUp") to(active - 1);
  else if (key === "Home") to(0);
  else if (key === "End") to(rows.length - 1);
  else if (key === "ArrowRight") {
    if (!row.open && children > 0) void openRow(node);
    else if (row.open) to(active + 1);
  } else if (key === "ArrowLeft") {
    if (row.open) closeRow(node);
    else to(rows.findLastIndex((other, i) => i < active && other.level < row.level));
  } else if (key === " ") void select(node === selected.peek() ? NONE : node);
  else if (key === "Enter") {
    go({ view: "flame" });
    void zoomTo(node);
  } else return false;
  return true;
}
