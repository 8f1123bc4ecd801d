/** /explore: one service, one type, a range. Asks for its timeline and its merged profile. */
import { computed, untracked } from "@preact/signals";
import { fetchLabels, fetchProfile, fetchTimeline } from "../../api.ts";
import { core } from "../../core/index.ts";
import { isGauge, typeLabel } from "../../format/type.ts";
import { formatBytes, formatMillis, plural } from "../../format/value.ts";
import type { Span } from "../../time/range.ts";
import { pointsFor, seriesOf } from "../../time/series.ts";
import { clear, type Progress, show } from "../profile/shown.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { go, place } from "../url/router.ts";
import { selector } from "./selector.ts";
import { services, span } from "./services.ts";

/** An hour in steps of 30 s. */
const TIMELINE_POINTS = 120;

/** What the screen asks for, or null when it is not this screen. `at` makes a refresh a new question, of the same subject. */
const question = computed(() => {
  const { route, service, type, base } = place.value;
  if (route !== "explore" || !service || !type) return null;
  const query = type + selector(service, base.filters);
  return { query, ...span.value, at: clock.value, subject: `${query} ${base.from} ${base.until}` };
});

export const timeline = resource(
  "read the timeline",
  () => question.value,
  ({ query, from, until }, signal) => typedTimeline(query, { from, until }, TIMELINE_POINTS, signal),
  ({ subject }) => subject,
);

/** What came last; a new one is being loaded or not. */
const answered = computed(() => timeline.value.value);
/** The same as it is drawn. */
export const series = computed(() => answered.value && seriesOf(answered.value, isGauge(answered.value.type)));

/** A timeline and the type that it is of, which the page may have left meanwhile. */
export async function typedTimeline(query: string, range: Span, most: number, signal: AbortSignal) {
  return {
    ...(await fetchTimeline(query, range, pointsFor(range, most), signal)),
    type: query.slice(0, query.indexOf("{")),
  };
}

/** Labels of the service, whatever is filtered, so that a filter can be changed to another value. */
export const labels = resource(
  "list the labels",
  () => {
    const { route, service } = place.value;
    return (route === "explore" || route === "diff") && service ? { service, ...span.value } : null;
  },
  ({ service, from, until }, signal) => fetchLabels(selector(service, []), { from, until }, signal),
  ({ service }) => service,
);

const wanted = computed(() => {
  const asked = question.value;
  const { window } = place.value;
  return JSON.stringify(asked && { ...asked, ...window, subject: `${asked.subject} ${JSON.stringify(window)}` });
});

/** Runs again whenever what it reads changes. */
export function loadExplore(): void {
  const asked = JSON.parse(wanted.value) as { query: string; from: number; until: number; subject: string } | null;
  if (asked) void untracked(() => load(asked.query, asked, asked.subject));
}

function load(query: string, range: Span, subject: string): Promise<void> {
  return show(
    "read the profile",
    async (progress) => {
      const opened = await openMerged(query, range, progress);
      if (!opened) return { state: "empty" };
      progress.stage("drawing");
      const { type, service } = place.peek();
      const tree = await core.tree(opened.profile, opened.type, isGauge(type) ? { by: opened.profiles } : undefined);
      return {
        state: "ready",
        tree,
        title: `${service} · ${typeLabel(type)}`,
        facts: [madeOf(opened.profiles, type), nodes(tree.nodes), opened.read, formatMillis(opened.millis)],
        warnings: opened.warnings,
        exported: opened.profile,
      };
    },
    subject,
  );
}

/** "240 profiles", "average of 116 snapshots". */
export function madeOf(profiles: number, type: string): string {
  return isGauge(type) ? `average of ${plural(profiles, "snapshot")}` : plural(profiles, "profile");
}

const SATURATED = "A sum is larger than 64 bits can hold and is cut there.";

/** Fetches and decodes the merged profile of one query, which the job then owns; null when there is no data. */
export async function openMerged(query: string, range: Span, progress: Progress, side = "") {
  const started = performance.now();
  progress.stage(`asking the server${side}`);
  const answer = await fetchProfile(query, range, progress.signal, (bytes) => progress.stage(`reading${side}`, bytes));
  if (!answer) return null;
  progress.stage(`decoding${side}`, answer.bytes.length);
  const info = await core.open(place.peek().service, answer.bytes);
  progress.own(info.id);
  return {
    profile: info.id,
    profiledMillis: Number(info.duration_nanos) / 1e6,
    type: info.default_type,
    total: info.types[info.default_type]?.total ?? 0,
    exact: info.types[info.default_type]?.total_exact ?? "0",
    unit: info.types[info.default_type]?.unit ?? "",
    warnings: [...info.warnings, ...(answer.saturated ? [SATURATED] : [])],
    profiles: answer.profiles,
    objects: answer.objects,
    bytesRead: answer.bytesRead,
    read: `${plural(answer.objects, "object")}, ${formatBytes(answer.bytesRead)} read`,
    millis: performance.now() - started,
  };
}

export function nodes(n: number): string {
  return `${plural(n, "node")}, none folded`;
}

/** A link without service or type shows the first there is; a service without the type shows another of its types. */
export function chooseDefaults(): void {
  const { route, service, type } = place.value;
  const found = services.value;
  if ((route !== "explore" && route !== "diff") || found.state !== "ready" || !found.value?.length) return;
  const chosen = service ? found.value.find(({ name }) => name === service) : found.value[0];
  if (!chosen) {
    // A service named by the link, with no data in this range: say so instead of showing another one.
    if (!type) clear();
    return;
  }
  if (!service || !type) go({ service: chosen.name, type: type || (chosen.types[0]?.id ?? "") }, "replace");
}
