// biome-ignore-all lint/a11y/useSemanticElements: rows stand at absolute heights, which the browser's own tables cannot.
// biome-ignore-all lint/a11y/useFocusableInteractive: in a table, unlike a grid, rows and headers take no focus.
import { effect, type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { CoreError } from "../core/core.ts";
import { core } from "../core/index.ts";
import type { SortColumn, TableRow, TreeInfo } from "../core/types.ts";
import { capital } from "../format/capital.ts";
import { namesakePlaces } from "../format/functionplace.ts";
import { current, select, selectedDetail, tree, zoomTo } from "../state/profile/focus.ts";
import { callFailed } from "../state/profile/shown.ts";
import { sortOf } from "../state/profile/sort.ts";
import { group } from "../state/profile/stepchanges.ts";
import { go, pictureRoute } from "../state/url/router.ts";
import { Counted, Name, Values } from "./cells.tsx";
import { ROW_HEIGHT, rowsIn, type Seen, useSeen } from "./rows.ts";

/** Rows asked for at once. */
const PAGE = 100;

interface Column {
  sort: SortColumn | null;
  label: string;
}

/** Functions, or what they are grouped by, with what they cost. Rows are made only for what is in view. */
export function Table() {
  const scroller = useRef<HTMLDivElement>(null);
  const view = useSeen(scroller);
  const moveTo = useRowFocus(scroller);
  const rows = useRows(view);
  const info = tree.value;
  if (!info) return <div class="table" ref={scroller} />;
  const { first, last } = rowsIn(view.value, rows.count.value);
  const func = selectedDetail.value.value?.detail.func;
  const { view: shownView, sandwich } = pictureRoute.value;
  const isChosen = (row: TableRow) => (shownView === "sandwich" ? row.name === sandwich : row.func === func);
  const name: Column = { sort: "name", label: capital(group.value) };
  const columns = [name, ...(info.diff ? DIFF_COLUMNS : TREE_COLUMNS)];
  return (
    <div class="table" ref={scroller} data-testid="table">
      <div
        role="table"
        aria-label={`${capital(group.value)}s`}
        aria-rowcount={rows.count.value + 1}
        class={info.diff ? "grid diff" : "grid"}
      >
        <div role="rowgroup" class="table-head">
          <div role="row" aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.label} column={column} info={info} />
            ))}
          </div>
        </div>
        <div role="rowgroup" style={{ height: `${rows.count.value * ROW_HEIGHT}px` }} class="table-body">
          {Array.from({ length: Math.max(0, last - first) }, (_, i) => {
            const index = first + i;
            const row = rows.at(index);
            const chosen = row !== undefined && isChosen(row);
            return (
              <Row
                key={index}
                index={index}
                row={row}
                place={row ? rows.placeOf.value(row) : ""}
                info={info}
                unit={rows.unit}
                chosen={chosen}
                onMove={(target) =>
                  moveTo((from) => Math.min(Math.max(target(from, rows.count.value), 0), rows.count.value - 1), index)
                }
              />
            );
          })}
        </div>
      </div>
      {rows.count.value === 0 && rows.ready.value && (
        <p class="hint pad">
          {pictureRoute.value.search
            ? `No ${group.value} matches “${pictureRoute.value.search}”.`
            : `No ${group.value}s.`}
        </p>
      )}
    </div>
  );
}

const TREE_COLUMNS: Column[] = [
  { sort: "self", label: "Self" },
  { sort: "total", label: "Total" },
];
const DIFF_COLUMNS: Column[] = [
  { sort: null, label: "Baseline total" },
  { sort: "total", label: "Comparison total" },
  { sort: "delta", label: "Change" },
  { sort: "self_delta", label: "Self change" },
];

function Head({ column: { sort, label }, info }: { column: Column; info: TreeInfo }) {
  const { column, descending } = sortOf(info, pictureRoute.value.sort);
  if (!sort) return <span role="columnheader">{label}</span>;
  const active = column === sort;
  const direction = active ? (descending ? "descending" : "ascending") : "none";
  return (
    <span role="columnheader" aria-sort={direction}>
      <button
        type="button"
        data-testid={`sort-${sort}`}
        onClick={() => go({ sort: { column: sort, descending: active ? !descending : sort !== "name" } }, "replace")}
      >
        {label}
        {sort !== "name" && (!info.diff || sort === "delta") && <Counted info={info} />}
        <span aria-hidden="true">{active ? (descending ? " ↓" : " ↑") : ""}</span>
      </button>
    </span>
  );
}

interface RowProps {
  index: number;
  row: TableRow | undefined;
  /** What tells it from rows of the same name. */
  place: string;
  info: TreeInfo;
  /** Of the row's values, which can still be those of the tree before. */
  unit: string;
  chosen: boolean;
  onMove: (target: Target) => void;
}

function Row({ index, row, place, info, unit, chosen, onMove }: RowProps) {
  const choose = async (zoom: boolean) => {
    if (!row) return;
    const node = await core.nodeOf(info.id, row.func);
    if (pictureRoute.peek().view === "sandwich") {
      current.value = node;
      return go({ sandwich: row.name });
    }
    await select(node);
    if (zoom) await zoomTo(node);
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={chosen}
      tabIndex={0}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
      data-testid="row"
      onClick={() => void choose(false)}
      onDblClick={() => void choose(true)}
      onKeyDown={(event) => {
        const { key } = event;
        const target = TARGETS[key];
        if (key === "Enter" || key === " ") void choose(key === "Enter" && event.shiftKey);
        else if (target) onMove(target);
        else return;
        event.preventDefault();
      }}
    >
      {row ? <Cells row={row} place={place} unit={unit} /> : <span role="cell">…</span>}
    </div>
  );
}

const PAGE_ROWS = 20;
type Target = (index: number, count: number) => number;
/** Where keys go from a row. */
const TARGETS: Record<string, Target> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  PageDown: (index) => index + PAGE_ROWS,
  PageUp: (index) => index - PAGE_ROWS,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/**
 * Moves the focus to a row, which may have to be made first: then the place scrolls, and the row has the focus once it is
 * there. Keys that are pressed until then go on from where it is heading.
 */
function useRowFocus(
  scroller: RefObject<HTMLElement | null>,
): (target: (from: number) => number, from: number) => void {
  const heading = useRef<number | null>(null);
  const arrive = () => {
    const row = scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${(heading.current ?? 0) + 2}"]`);
    if (heading.current === null || !row) return false;
    heading.current = null;
    row.focus();
    return true;
  };
  useLayoutEffect(() => void arrive());
  return (target, from) => {
    const index = target(heading.current ?? from);
    heading.current = index;
    const place = scroller.current;
    if (!arrive() && place) place.scrollTop = index * ROW_HEIGHT - place.clientHeight / 2;
  };
}

function Cells({ row, place, unit }: { row: TableRow; place: string; unit: string }) {
  const { name, file } = row;
  return (
    <>
      <span role="cell" class="name" title={file ? `${name}\n${file}` : name}>
        <Name name={name} />
        {place && <small class="place">{place}</small>}
      </span>
      <Values of={row} unit={unit} role="cell" />
    </>
  );
}

/** Pages of rows, fetched as they come into view; a new tree, order or search starts over. */
function useRows(view: ReadonlySignal<Seen>) {
  // With the question that they answer and the unit of its tree.
  const held = useSignal({ question: "", unit: "", pages: new Map<number, TableRow[]>() });
  const count = useSignal(0);
  const ready = useSignal(false);
  useEffect(() => {
    let question = "";
    let asked = new Set<number>();
    return effect(() => {
      const info = tree.value;
      if (!info) return;
      const { search } = pictureRoute.value;
      const sort = sortOf(info, pictureRoute.value.sort);
      const now = JSON.stringify([info.id, sort, search]);
      const fresh = now !== question;
      if (fresh) {
        question = now;
        asked = new Set();
      }
      const { first, last } = rowsIn(view.value, fresh ? PAGE : Math.max(count.peek(), 1));
      for (let page = Math.floor(first / PAGE); page * PAGE < Math.max(last, 1); page++) {
        if (asked.has(page)) continue;
        asked.add(page);
        const query = {
          sort: sort.column,
          descending: sort.descending,
          filter: search,
          offset: page * PAGE,
          limit: PAGE,
        };
        void core.table(info.id, query).then(
          (found) => {
            if (now !== question) return;
            // Old rows stay until the first new ones are here, so that nothing flickers.
            const kept = held.peek().question === now ? held.peek().pages : [];
            held.value = { question: now, unit: info.unit, pages: new Map([...kept, [page, found.rows]]) };
            count.value = found.count;
            ready.value = true;
          },
          (failure) => {
            // Half a regular expression: the field says it, and the old rows stay.
            if (search !== "" && failure instanceof CoreError && !failure.fatal) return;
            callFailed(info.id, "list the functions")(failure);
          },
        );
      }
    });
  }, []);
  const placeOf = useComputed(() => namesakePlaces([...held.value.pages.values()].flat()));
  const at = (index: number) => held.value.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  return { count, ready, placeOf, at, unit: held.value.unit };
}
