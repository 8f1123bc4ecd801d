// biome-ignore-all lint/a11y/useSemanticElements: rows stand at absolute heights, which the browser's own tables cannot.
// biome-ignore-all lint/a11y/useFocusableInteractive: in a table, unlike a grid, rows and headers take no focus.
import { useEffect, useRef } from "preact/hooks";
import { ProblemNote } from "../../components/status/problemnote.tsx";
import { core } from "../../core/index.ts";
import { NONE, type TreeInfo } from "../../core/types.ts";
import { csvField, csvText } from "../../format/csv.ts";
import { plural, unitOf } from "../../format/value.ts";
import { fetchedSource } from "../../source/fetched.ts";
import { copyText } from "../../state/page/clipboard.ts";
import { select, selected, tree } from "../../state/profile/focus.ts";
import { useHeaviest } from "../../state/profile/heaviest.ts";
import { takeFiles } from "../../state/profile/instead.ts";
import {
  baseOf,
  hasLines,
  type Listing,
  listed,
  listing,
  pickSource,
  rowsOf,
  type SourceRow,
  sources,
  takeSources,
} from "../../state/profile/listing.ts";
import { group } from "../../state/profile/stepchanges.ts";
import { go, pictureRoute } from "../../state/url/router.ts";
import { Values } from "../cells.tsx";
import { ROW_HEIGHT, rowsIn, useSeen } from "../rows.ts";
import { Origin } from "./origin.tsx";
import "../../style/lines.css";

/** Rows above the first line that cost something. */
const BEFORE = 3;

/** Source lines of the selected function with what they cost, and the source itself where the person has given it. */
export function Lines() {
  useEffect(() => {
    takeFiles.value = takeSources;
    return () => {
      takeFiles.value = null;
    };
  }, []);
  const info = tree.value;
  const { value, problem } = listing.value;
  useHeaviest(!hasLines.value || selected.value !== NONE, async (row, id) => {
    const node = await core.nodeOf(id, row.func);
    if (tree.peek()?.id === id) await select(node);
  });
  return (
    <section class="lines" aria-label="Source lines" data-testid="lines">
      {!hasLines.value ? (
        <p class="hint pad">A comparison has no source lines. Open one of its sides.</p>
      ) : problem ? (
        <ProblemNote problem={problem} />
      ) : !listed.value ? (
        <p class="hint pad">Choose a function in the list.</p>
      ) : (
        value && info && <Listed listing={value} info={info} />
      )}
    </section>
  );
}

function Listed({ listing, info }: { listing: Listing; info: TreeInfo }) {
  const { name, file, lines } = listing;
  const fetched = fetchedSource.value.value;
  // What the person gave is what they want to see.
  const source = sources.value.get(file) ?? (fetched?.place && fetched.file === file ? fetched.lines : undefined);
  const rows = rowsOf(lines, source);
  const beyond = source && lines.some(({ line }) => line > source.length);
  if (lines.every(({ line }) => line === 0)) {
    return (
      <p class="hint pad">
        {group.value === "function" ? `The profile has no line numbers for ${name}.` : "Groups have no source lines."}
      </p>
    );
  }
  return (
    <>
      <div class="lines-head">
        <h2 title={file || name}>{file ? baseOf(file) : name}</h2>
        {file && (
          <>
            <button
              type="button"
              class="control toggle"
              aria-pressed={pictureRoute.value.wholeFile}
              title="Show all functions in this file"
              data-testid="whole-file"
              onClick={() => go({ wholeFile: !pictureRoute.peek().wholeFile })}
            >
              Whole file
            </button>
            <SourcePicker file={file} known={source !== undefined} />
          </>
        )}
        <button
          type="button"
          class="control"
          title="Copy as CSV"
          data-testid="copy-lines"
          onClick={() => void copyText(linesCsv(rows, unitOf(info)), "the lines as CSV")}
        >
          Copy
        </button>
        {file && !sources.value.has(file) && <Origin file={file} line={lines[0]?.line ?? 0} />}
        {beyond && (
          <p role="status" class="hint">
            {`This file has ${plural(source.length, "line")}, but the profile has more: the versions differ.`}
          </p>
        )}
      </div>
      <Rows rows={rows} info={info} subject={JSON.stringify([name, file, source === undefined])} />
    </>
  );
}

function SourcePicker({ file, known }: { file: string; known: boolean }) {
  const base = baseOf(file);
  return (
    <label class="control" title={`Choose ${base} on your disk, or drop it here. The file stays in this tab.`}>
      <input
        type="file"
        class="hidden"
        data-testid="source-file"
        aria-label={`Source file ${base}`}
        onChange={({ currentTarget: input }) => {
          const chosen = input.files?.[0];
          if (chosen) pickSource(chosen);
          input.value = "";
        }}
      />
      {known ? "Other source…" : "Source…"}
    </label>
  );
}

function Rows({ rows, info, subject }: { rows: SourceRow[]; info: TreeInfo; subject: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const seen = useSeen(scroller);
  const most = rows.reduce((most, { cost }) => Math.max(most, cost?.total ?? 0), 1e-9);
  // What is listed anew begins where it costs something.
  useEffect(() => {
    const first = rows.findIndex(({ cost }) => cost !== null);
    scroller.current?.scrollTo({ top: Math.max(first - BEFORE, 0) * ROW_HEIGHT });
  }, [subject]);
  const { first, last } = rowsIn(seen.value, rows.length);
  return (
    <div class="table" ref={scroller}>
      <div role="table" aria-label="Lines" aria-rowcount={rows.length + 1} class="grid">
        <div role="rowgroup" class="table-head">
          <div role="row" aria-rowindex={1}>
            {["Line", "Self", "Total", "Source"].map((label) => (
              <span role="columnheader" key={label}>
                {label}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" class="table-body" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
          {rows.slice(first, last).map((row, i) => (
            <Row key={first + i} index={first + i} row={row} unit={info.unit} most={most} />
          ))}
        </div>
      </div>
    </div>
  );
}

function Row(props: { index: number; row: SourceRow; unit: string; most: number }) {
  const { index, row, unit, most } = props;
  const { line, cost, text } = row;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      tabIndex={0}
      class={cost ? "line" : "line idle"}
      data-testid="line"
      data-line={line}
      style={{
        transform: `translateY(${index * ROW_HEIGHT}px)`,
        "--heat": `${cost ? Math.round((100 * Math.max(cost.total, 0)) / most) : 0}%`,
      }}
      onKeyDown={(event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (by === undefined) return;
        const other = event.currentTarget.parentElement?.querySelector<HTMLElement>(
          `[aria-rowindex="${index + 2 + by}"]`,
        );
        other?.focus();
        event.preventDefault();
      }}
    >
      <span role="rowheader" class="line-number">
        {line > 0 ? line : "?"}
      </span>
      {cost ? (
        <Values of={{ ...cost, diff: null }} unit={unit} role="cell" />
      ) : (
        <>
          <span role="cell" />
          <span role="cell" />
        </>
      )}
      <span role="cell" class={text === null ? "line-text soft" : "line-text"} title={text?.trim() || cost?.function}>
        {text ?? cost?.function}
      </span>
    </div>
  );
}

/** Lines that cost something. */
export function linesCsv(rows: SourceRow[], unit: string): string {
  const head = ["line", "function", csvField(`self (${unit})`), csvField(`total (${unit})`), "source"];
  const lines = rows.flatMap(({ line, cost, text }) =>
    cost ? [[line, csvField(cost.function), cost.self, cost.total, csvField(text ?? "")]] : [],
  );
  return csvText([head, ...lines]);
}
