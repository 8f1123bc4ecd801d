/** /explore: one service, one type, a range. Asks for its timeline and its merged profile. */
import { computed, untracked } from "@preact/signals";
import { fetchLabels, fetchProfile, fetchTimeline } from "../api.ts";
import { core } from "../core/index.ts";
import { formatBytes, formatMillis, plural } from "../format/value.ts";
import { typeLabel } from "../format/type.ts";
import type { Span } from "../time/range.ts";
import { go, place } from "./router.ts";
import { resource } from "./resource.ts";
import { selector } from "./selector.ts";
import { clock, services, span } from "./services.ts";
import { clear, show, type Progress } from "./shown.ts";

/** An hour in steps of 30 s: agents send every 10 to 15 s, so no step of a busy service is empty by chance. */
const TIMELINE_POINTS = 120;

/** What the screen asks for, or null when it is not this screen. `at` makes a refresh a new question. */
const question = computed(() => {
  const { route, service, type, base } = place.value;
  return route === "explore" && service && type ? { query: type + selector(service, base.filters), ...span.value, at: clock.value } : null;
});

export const timeline = resource(
  "read the timeline",
  () => question.value,
  ({ query, from, until }, signal) => fetchTimeline(query, { from, until }, TIMELINE_POINTS, signal),
);

/** Labels of the service, whatever is filtered, so that a filter can be changed to another value. */
export const labels = resource(
  "list the labels",
  () => {
    const { route, service } = place.value;
    return (route === "explore" || route === "diff") && service ? { service, ...span.value } : null;
  },
  ({ service, from, until }, signal) => fetchLabels(selector(service, []), { from, until }, signal),
);

const wanted = computed(() => {
  const asked = question.value;
  return JSON.stringify(asked && { ...asked, ...place.value.window });
});

/** Runs again whenever what it reads changes. */
export function loadExplore(): void {
  const asked = JSON.parse(wanted.value) as { query: string; from: number; until: number } | null;
  if (asked) void untracked(() => load(asked.query, asked));
}

function load(query: string, range: Span): Promise<void> {
  return show("read the profile", async (progress) => {
    const opened = await openMerged(query, range, progress);
    if (!opened) return { state: "empty" };
    progress.stage("drawing");
    const tree = await core.tree(opened.profile, opened.type);
    const { type, service } = place.peek();
    return {
      state: "ready",
      tree,
      title: `${service} · ${typeLabel(type)}`,
      facts: [plural(opened.profiles, "profile"), nodes(tree.nodes), opened.read, formatMillis(opened.millis)],
      warnings: opened.warnings,
      owned: [opened.profile],
      exported: opened.profile,
    };
  });
}

/** Fetches and decodes the merged profile of one query; null when there is no data. */
export async function openMerged(query: string, range: Span, progress: Progress, side = "") {
  const started = performance.now();
  progress.stage(`asking the server${side}`);
  const answer = await fetchProfile(query, range, progress.signal, (bytes) => progress.stage(`reading${side}`, bytes));
  if (!answer) return null;
  progress.stage(`decoding${side}`, answer.bytes.length);
  const info = await core.open(place.peek().service, answer.bytes);
  return {
    profile: info.id,
    type: info.default_type,
    warnings: info.warnings,
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
