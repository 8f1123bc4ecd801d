import { effect, type ReadonlySignal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Select } from "../components/controls/select.tsx";
import { core } from "../core/index.ts";
import type { TagFrameVerb, TagVerb } from "../core/steps.ts";
import type { LabelKey, LabelRow } from "../core/types.ts";
import { percent } from "../format/number.ts";
import { plural } from "../format/value.ts";
import { reportFailure } from "../state/page/failure.ts";
import { type Subject, shown } from "../state/profile/shown.ts";
import { addStep, frameBy } from "../state/profile/stepchanges.ts";
import { ROW_HEIGHT, rowsIn, type Seen, useSeen } from "./rows.ts";

/** Values asked for at once, and values seen at once at most. */
const PAGE = 100;
const SEEN = 8;

/** The labels of a file's samples: samples with a value stay or go, or stacks part by a key. Shares are of the whole file. */
export function LabelPicker({ close }: { close: () => void }) {
  const subject = shown.value.state === "ready" ? shown.value.subject : undefined;
  const root = useRef<HTMLDivElement>(null);
  const keys = useSignal<LabelKey[]>([]);
  const name = useSignal("");
  useEffect(() => {
    if (!subject) return;
    void core.labelKeys(subject.profile, subject.type).then(
      (found) => {
        keys.value = found;
        name.value = found[0]?.name ?? "";
      },
      (failure) => reportFailure(failure, "list the labels"),
    );
  }, [subject]);
  const key = keys.value.find((key) => key.name === name.value);
  const ready = key !== undefined;
  useEffect(() => {
    if (ready) root.current?.querySelector("select")?.focus();
  }, [ready]);
  if (!subject || !key) return null;
  const frames = (verb: TagFrameVerb) => () => {
    close();
    frameBy(verb, key.name);
  };
  return (
    <div class="add-filter" ref={root}>
      <Select
        label="Label"
        testid="label-key"
        value={key.name}
        options={keys.value.map(({ name, values }) => ({ value: name, label: `${name} (${values})` }))}
        onChange={(value) => (name.value = value)}
      />
      <p class="hint">
        {plural(key.values, "value")}, in {percent(key.fraction)} of the profile.
      </p>
      <Values
        key={key.name}
        subject={subject}
        name={key.name}
        add={(verb, pattern) => {
          close();
          addStep(`${verb}:${pattern}`);
        }}
      />
      <div class="menu-list apart">
        <p class="menu-title">Values as frames</p>
        <button type="button" data-testid="tagroot" onClick={frames("tagroot")}>
          At the root of stacks
        </button>
        <button type="button" data-testid="tagleaf" onClick={frames("tagleaf")}>
          At the leaves
        </button>
      </div>
    </div>
  );
}

type Add = (verb: TagVerb, pattern: string) => void;

/** The values of a key, the largest first. Rows are made only for what is in view. */
function Values({ subject, name, add }: { subject: Subject; name: string; add: Add }) {
  const scroller = useRef<HTMLDivElement>(null);
  const filter = useSignal("");
  const seen = useSeen(scroller);
  const { count, pattern, at } = useValues(subject, name, filter.value, seen);
  const { first, last } = rowsIn(seen.value, count);
  return (
    <>
      <input
        type="search"
        aria-label={`Filter the values of ${name}`}
        placeholder="Filter values"
        data-testid="label-filter"
        spellcheck={false}
        autocomplete="off"
        value={filter}
        onInput={(event) => {
          filter.value = event.currentTarget.value;
          scroller.current?.scrollTo(0, 0);
        }}
      />
      <div class="label-values" ref={scroller} style={{ height: `${Math.min(count, SEEN) * ROW_HEIGHT}px` }}>
        <ul
          style={{ height: `${count * ROW_HEIGHT}px` }}
          aria-label={`Values of ${name}`}
          data-testid="label-values"
          data-count={count}
        >
          {Array.from({ length: Math.max(0, last - first) }, (_, i) => (
            <Value key={first + i} index={first + i} count={count} row={at(first + i)} add={add} />
          ))}
        </ul>
      </div>
      {filter.value !== "" && count === 0 && <p class="hint">No value contains “{filter}”.</p>}
      {pattern !== null && count > 0 && (
        <div class="row">
          <button type="button" class="control" data-testid="keep-all" onClick={() => add("tagfocus", pattern)}>
            Keep {plural(count, "value")}
          </button>
          <button type="button" class="control" data-testid="drop-all" onClick={() => add("tagignore", pattern)}>
            Drop {count === 1 ? "it" : "them"}
          </button>
        </div>
      )}
    </>
  );
}

function Value(props: { index: number; count: number; row: LabelRow | undefined; add: Add }) {
  const { index, count, row, add } = props;
  const pattern = row?.pattern ?? null;
  const button = (verb: TagVerb, title: string, label: ComponentChildren) => (
    <button
      type="button"
      class={verb === "tagfocus" ? "keep" : "drop"}
      title={title}
      disabled={pattern === null}
      data-testid={verb === "tagfocus" ? "keep-label" : "drop-label"}
      onClick={() => pattern !== null && add(verb, pattern)}
      onKeyDown={(event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (by === undefined) return;
        const next = event.currentTarget.closest("ul")?.querySelector(`[aria-posinset="${index + 1 + by}"]`);
        next?.querySelector<HTMLElement>(verb === "tagfocus" ? ".keep" : ".drop")?.focus();
        event.preventDefault();
      }}
    >
      {label}
    </button>
  );
  return (
    <li aria-posinset={index + 1} aria-setsize={count} style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}>
      {row ? (
        <>
          {button(
            "tagfocus",
            `Keep only ${row.text}`,
            <>
              <span class="label-text">{row.text}</span>
              <span class="num soft">{percent(row.fraction)}</span>
            </>,
          )}
          {button("tagignore", `Drop ${row.text}`, "Drop")}
        </>
      ) : (
        "…"
      )}
    </li>
  );
}

/** Pages of values, fetched as they come into view; another filter starts over. */
function useValues(subject: Subject, key: string, filter: string, seen: ReadonlySignal<Seen>) {
  const pages = useSignal(new Map<number, LabelRow[]>());
  const found = useSignal<{ count: number; pattern: string | null }>({ count: 0, pattern: null });
  useEffect(() => {
    const asked = new Set<number>();
    let fresh = true;
    let gone = false;
    const stop = effect(() => {
      const { first, last } = rowsIn(seen.value, fresh ? PAGE : found.peek().count);
      for (let page = Math.floor(first / PAGE); page * PAGE < Math.max(last, 1); page++) {
        if (asked.has(page)) continue;
        asked.add(page);
        const query = { key, filter, offset: page * PAGE, limit: PAGE };
        void core.labelValues(subject.profile, subject.type, query).then(
          ({ rows, count, pattern }) => {
            if (gone) return;
            // Old rows stay until the first new ones are here, so that nothing flickers.
            pages.value = new Map([...(fresh ? [] : pages.peek()), [page, rows]]);
            fresh = false;
            found.value = { count, pattern };
          },
          (failure) => reportFailure(failure, "list the values of this label"),
        );
      }
    });
    return () => {
      gone = true;
      stop();
    };
  }, [subject, key, filter]);
  const at = (index: number) => pages.value.get(Math.floor(index / PAGE))?.[index % PAGE];
  return { ...found.value, at };
}
