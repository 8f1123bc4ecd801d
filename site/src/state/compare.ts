/** /diff: baseline against comparison, same service and type, each with its own range and filters. */
import { computed, untracked } from "@preact/signals";
import { fetchTimeline } from "../api.ts";
import { core } from "../core/index.ts";
import { formatBytes, formatMillis, plural } from "../format/value.ts";
import { typeLabel } from "../format/type.ts";
import { fixed, halves, resolve, type Span } from "../time/range.ts";
import type { Place, Side } from "./place.ts";
import { nodes, openMerged } from "./explore.ts";
import { go, place } from "./router.ts";
import { resource } from "./resource.ts";
import { selector } from "./selector.ts";
import { clock, span } from "./services.ts";
import { show } from "./shown.ts";

/** Half of a screen each. */
const TIMELINE_POINTS = 120;

export type SideName = "base" | "other";

const asking = (side: SideName) => {
  const { route, service, type } = place.value;
  return route === "diff" && service && type ? type + selector(service, place.value[side].filters) : null;
};

/** Both timelines span both ranges, so that the sides can be seen side by side in time. */
const sideTimeline = (side: SideName) =>
  resource(
    "read the timeline",
    () => {
      const query = asking(side);
      return query === null ? null : { query, ...span.value, at: clock.value };
    },
    ({ query, from, until }, signal) => fetchTimeline(query, { from, until }, TIMELINE_POINTS, signal),
  );
export const timelines = { base: sideTimeline("base"), other: sideTimeline("other") };

const wanted = computed(() => {
  const [base, other] = [asking("base"), asking("other")];
  if (!base || !other) return "null";
  const { normalise } = place.value;
  return JSON.stringify({ base, other, normalise, baseSpan: sideSpan("base"), otherSpan: sideSpan("other"), at: clock.value });
});

export function sideSpan(side: SideName): Span {
  return resolve(place.value[side], clock.value);
}

/** Runs again whenever what it reads changes. */
export function loadCompare(): void {
  const asked = JSON.parse(wanted.value);
  if (asked) void untracked(() => load(asked));
}

function load(asked: { base: string; other: string; normalise: boolean; baseSpan: Span; otherSpan: Span }): Promise<void> {
  return show("compare the two ranges", async (progress) => {
    const base = await openMerged(asked.base, asked.baseSpan, progress, " for the baseline");
    const other = base && (await openMerged(asked.other, asked.otherSpan, progress, " for the comparison"));
    if (!base || !other) return { state: "empty" };
    progress.stage("comparing");
    const tree = await core.diff(base.profile, other.profile, base.type, asked.normalise);
    const { type, service } = place.peek();
    return {
      state: "ready",
      tree,
      title: `${service} · ${typeLabel(type)} · difference`,
      facts: [
        `${plural(base.profiles, "profile")} against ${plural(other.profiles, "profile")}`,
        nodes(tree.nodes),
        `${plural(base.objects + other.objects, "object")}, ${formatBytes(base.bytesRead + other.bytesRead)} read`,
        formatMillis(base.millis + other.millis),
      ],
      warnings: [...base.warnings, ...other.warnings],
      owned: [base.profile, other.profile],
      exported: null,
    };
  });
}

/** The sides for the halves of a span. */
export function halfSides(whole: Span, filters: [string[], string[]]): Pick<Place, "base" | "other"> {
  const [first, second] = halves(whole);
  return { base: { ...fixed(first), filters: filters[0] }, other: { ...fixed(second), filters: filters[1] } };
}

/** The span against the one of equal length just before it. */
export function periodSides(whole: Span, filters: [string[], string[]]): Pick<Place, "base" | "other"> {
  const before = { from: whole.from - (whole.until - whole.from), until: whole.from };
  return { base: { ...fixed(before), filters: filters[0] }, other: { ...fixed(whole), filters: filters[1] } };
}

export function setSide(name: SideName, patch: Partial<Side>): void {
  go({ [name]: { ...place.peek()[name], ...patch } });
}

export function swapSides(): void {
  const { base, other } = place.peek();
  go({ base: other, other: base });
}
