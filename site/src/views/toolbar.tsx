import { computed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../components/controls/icon.tsx";
import { SearchField } from "../components/controls/searchfield.tsx";
import { Select } from "../components/controls/select.tsx";
import { lazy } from "../components/lazy.tsx";
import { FULL } from "../flame/extent.ts";
import { percent } from "../format/number.ts";
import { plural } from "../format/value.ts";
import { nextMatch, searchResult, tree } from "../state/profile/focus.ts";
import { seenView, whyNoView } from "../state/profile/offeredviews.ts";
import { shown } from "../state/profile/shown.ts";
import { lookAt } from "../state/profile/stepchanges.ts";
import type { View } from "../state/url/route.ts";
import { go, pictureRoute } from "../state/url/router.ts";
import { StepTools } from "./stepbar.tsx";

const Explain = lazy(() => import("../explain/explaindialog.tsx").then((module) => module.Explain));
const Legend = lazy(() => import("./legend.tsx").then((module) => module.Legend));

const VIEWS: { view: View; label: string; key: string }[] = [
  { view: "flame", label: "Flame", key: "1" },
  { view: "table", label: "Table", key: "2" },
  { view: "both", label: "Both", key: "3" },
  { view: "tree", label: "Tree", key: "4" },
  { view: "sandwich", label: "Sandwich", key: "5" },
  { view: "chart", label: "Chart", key: "6" },
  { view: "lines", label: "Lines", key: "7" },
  { view: "graph", label: "Graph", key: "8" },
  { view: "sides", label: "Side by side", key: "9" },
];

const views = computed(() => VIEWS.filter(({ view }) => !whyNoView(view)));

/** Views, search, and what the colours mean. */
export function Toolbar() {
  const row = useRef<HTMLFieldSetElement>(null);
  // A phone has no room for all views.
  useLayoutEffect(() => {
    row.current?.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [seenView.value]);
  return (
    <div class="toolbar" role="toolbar" aria-label="View">
      <fieldset class="segmented" ref={row} aria-label="View">
        {views.value.map(({ view, label, key }) => (
          <button
            type="button"
            key={view}
            aria-pressed={seenView.value === view}
            title={`${label} (${key})`}
            data-testid={`view-${view}`}
            onClick={() => lookAt(view)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <Search />
      <Threads />
      <ExplainButton />
      <StepTools />
      {tree.value?.diff && <Legend tree={tree.value} diff={tree.value.diff} />}
    </div>
  );
}

/** To what the profile says in words. */
function ExplainButton() {
  const open = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="control"
        title="Summarize this profile"
        data-testid="explain-button"
        onClick={() => (open.value = true)}
      >
        <span class="narrow">
          <Icon name="words" />
        </span>
        <span class="wide">Explain</span>
      </button>
      {open.value && <Explain close={() => (open.value = false)} />}
    </>
  );
}

/** Whose chart it is, where there are several. */
function Threads() {
  if (shown.value.state !== "ready" || (shown.value.threads?.length ?? 0) < 2) return null;
  const { threads = [], thread = "" } = shown.value;
  return (
    <Select
      label="Thread"
      testid="thread"
      value={thread}
      options={threads.map(({ name }) => ({ value: name, label: name || "without a name" }))}
      onChange={(thread) => go({ thread, zoom: null, extent: [...FULL], selection: null })}
    />
  );
}

function Search() {
  const result = searchResult.value;
  return (
    <SearchField
      label="Search frames; text or /expression/"
      placeholder="Search  /"
      onEnter={(back) => void nextMatch(back ? -1 : 1)}
    >
      {result && describe(result)}
    </SearchField>
  );
}

function describe({ matches, fraction, side_fractions, at, valid }: NonNullable<typeof searchResult.value>): string {
  if (!valid) return "Invalid regular expression";
  // What reads like an expression is taken as text without slashes.
  const text = pictureRoute.value.search;
  if (matches === 0)
    return !text.startsWith("/") && /^\^|\||\.\*|\$$/.test(text) ? `no matches; try /${text}/` : "no matches";
  return `${at >= 0 ? `${at + 1} of ` : ""}${plural(matches, "frame")} · ${(side_fractions ?? [fraction]).map(percent).join(" → ")}`;
}
