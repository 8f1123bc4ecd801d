/** Where in the tree one is: the zoomed, the selected and the keyboard's current frame, and the search. */
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { CoreError } from "../../core/core.ts";
import { core } from "../../core/index.ts";
import { type Direction, NONE, type NodeDetail, ROOT, type SearchInfo, type TreeInfo } from "../../core/types.ts";
import { type Extent, FULL, isFull } from "../../flame/extent.ts";
import { percent } from "../../format/number.ts";
import { formatValue } from "../../format/value.ts";
import { Debounce } from "../../settled.ts";
import { formatMoment } from "../../time/moment.ts";
import { latest } from "../latest.ts";
import { queue } from "../queue.ts";
import { resource } from "../resource.ts";
import type { Picture } from "../url/route.ts";
import { go, pictureRoute } from "../url/router.ts";
import { callFailed, shown } from "./shown.ts";

interface View {
  tree: TreeInfo | null;
  zoom: number;
  /** The seen part of the zoomed frame's width. */
  extent: Extent;
  /** The same, as the URL had it last. */
  urlExtent: Extent;
  selected: number;
}

/** Node ids belong to one tree, so all of this changes together, once the URL's keys are resolved in a new tree. */
const view = signal<View>({ tree: null, zoom: ROOT, extent: FULL, urlExtent: FULL, selected: NONE });
export const tree = computed(() => view.value.tree);
export const zoom = computed(() => view.value.zoom);
export const extent = computed(() => view.value.extent);
export const selected = computed(() => view.value.selected);
export const current = signal(ROOT);
/** Grows whenever boxes must be asked for again because their flags changed. */
export const flagsVersion = signal(0);
export const searchResult = signal<(SearchInfo & { at: number; valid: boolean }) | null>(null);
/** A signal of its own: a change of the rest of the URL must not start the search over, with its count of matches. */
const searchText = computed(() => pictureRoute.value.search);
/** What the live region says. */
export const announcement = signal("");

/** Callers that are looked for in another tree that lacks the current frame. */
const NEAREST_CALLERS = 8;
/** The current frame behind its nearest callers, by keys that other trees have, too. A chart's frames are places in time. */
const place = signal({ answer: 0, tree: NONE, node: ROOT, inverted: false, keys: Promise.resolve<string[]>([]) });

/** Remembers the current frame, unless it was found by what is remembered. */
function remember(shownTree: TreeInfo | null, node: number): void {
  const known = place.peek();
  if (!shownTree || (known.tree === shownTree.id && known.node === node)) return;
  const { id, inverted, start } = shownTree;
  const keysOf = async () => {
    if (node === ROOT || start !== null) return [];
    const { path: callers } = await core.node(id, node);
    return Promise.all(
      callers
        .slice(1)
        .slice(-NEAREST_CALLERS)
        .map(({ node }) => core.key(id, node)),
    );
  };
  place.value = { answer: answerTime(), tree: id, node, inverted, keys: keysOf().catch(() => []) };
}

/** When the answer came that is shown, however often it was drawn again. */
function answerTime(): number {
  const answer = shown.peek();
  return answer.state === "ready" ? answer.since : 0;
}

/** The remembered frame in another tree of the same answer, or its nearest caller there. */
async function remembered(next: TreeInfo): Promise<NodeDetail | null> {
  const known = place.peek();
  if (answerTime() !== known.answer || next.start !== null || next.inverted !== known.inverted) return null;
  const keys = await known.keys;
  const nodes = await Promise.all(keys.map((key) => nodeOf(next.id, key)));
  const node = nodes.findLast((node) => node !== NONE);
  return node === undefined ? null : core.node(next.id, node);
}

/** Nodes of the current tree whose keys were seen, so that one's own navigation needs no lookup. */
const nodeByKey = new Map<string | null, number>();

export const selectedDetail = resource(
  "show this frame's details",
  () => tree.value && selected.value !== NONE && { tree: tree.value.id, node: selected.value },
  async (asked) => {
    if (!asked) return null;
    const { tree: id, node } = asked;
    const [detail, children, occurrence] = await Promise.all([
      core.node(id, node),
      core.children(id, node),
      core.occurrence(id, node),
    ]);
    return { detail, children, occurrence };
  },
);

/** Of the zoomed frame; null when all is seen. */
export const zoomedDetail = resource(
  "show this frame's details",
  () => tree.value && zoom.value !== ROOT && { tree: tree.value.id, node: zoom.value },
  async (asked) => (asked ? core.node(asked.tree, asked.node) : null),
);

export function startFocus(): void {
  effect(() => {
    const next = shown.value.state === "ready" ? shown.value.tree : null;
    applied.value = applyUrl(next, pictureRoute.value);
  });
  effect(() => remember(tree.value, current.value));
  // In a new tree nothing is marked. Saying so would have its boxes laid out once more.
  let marked: TreeInfo | null = null;
  effect(() => {
    const shownTree = tree.value;
    const node = selected.value;
    if (!shownTree || (node === NONE && marked !== shownTree)) return;
    marked = shownTree;
    void core.select(shownTree.id, node).then(flagsChanged, callFailed(shownTree.id, "select this frame"));
  });
  let searched: TreeInfo | null = null;
  effect(() => {
    const shownTree = tree.value;
    const query = searchText.value;
    searchResult.value = null;
    if (!shownTree || (query === "" && searched !== shownTree)) return;
    searched = shownTree;
    searching.value = search(shownTree.id, query);
  });
}

export async function zoomTo(node: number): Promise<void> {
  const key = await keyOf(node, ROOT);
  const before = pictureRoute.peek().zoom;
  // Nodes are numbered from the root on: callers come first. Frames with the same path of names share a key.
  if (key !== null && key !== before && node > zoom.peek()) zoomedFrom.set(key, before);
  showZoom(key);
}

/** Where one was before a frame was zoomed to, by its key. */
const zoomedFrom = new Map<string, string | null>();

function showZoom(key: string | null): void {
  committing.clear();
  go({ zoom: key, extent: [...FULL] });
}

/** A step that took its time does not undo a later one. */
const steps = latest();

export async function select(node: number): Promise<void> {
  steps.abort();
  if (node !== NONE) current.value = node;
  go({ selection: await keyOf(node, NONE) }, "replace");
}

/** Out of every zoom. */
export function reset(): Promise<void> {
  setExtent(FULL);
  return zoomTo(ROOT);
}

const committing = new Debounce();

/** Shows another part of the zoomed frame's width. The URL follows when the hand rests: browsers limit how often it may change. */
export function setExtent(next: Extent): void {
  view.value = { ...view.peek(), extent: next };
  committing.set(() => {
    const digits = (x: number) => Number(x.toPrecision(9));
    const urlExtent: Extent = [digits(next[0]), digits(next[1])];
    view.value = { ...view.peek(), urlExtent };
    go({ extent: urlExtent }, "replace");
  }, 250);
}

/** One step back out of whatever one is in: the drawer, a partial view, the zoom, the search. */
export async function back(): Promise<void> {
  const { selection, search, zoom: zoomed } = pictureRoute.peek();
  if (selection) return select(NONE);
  if (!isFull(extent.peek())) return setExtent(FULL);
  const shownTree = tree.peek();
  const origin = zoomed === null ? undefined : zoomedFrom.get(zoomed);
  if (zoomed !== null) zoomedFrom.delete(zoomed);
  if (zoom.peek() !== ROOT && origin !== undefined) return showZoom(origin);
  if (shownTree && zoom.peek() !== ROOT) return zoomTo(await core.step(shownTree.id, zoom.peek(), "parent"));
  if (search) go({ search: "" }, "replace");
}

/** Steps of the keyboard, one after the other: two quick ones go two frames far, and Space means the frame they end at. */
export const keySteps = queue();

/** Moves the current frame and says where it is; the drawer follows when it is open. */
export function move(direction: Direction): Promise<void> {
  return inTurn(async (id) => visitNode(await core.step(id, current.peek(), direction)));
}

export function selectCurrent(): Promise<void> {
  return inTurn(() => select(current.peek()));
}

export function zoomToCurrent(): Promise<void> {
  return inTurn(() => zoomTo(current.peek()));
}

/** Does `step` in the tree behind all steps asked for before, so that it finds the frame they end at. */
export function inTurn(step: (tree: number) => Promise<void>): Promise<void> {
  return keySteps.run(async () => {
    const shownTree = await lookedUp();
    if (shownTree) await step(shownTree.id).catch(callFailed(shownTree.id, "go to this frame"));
  });
}

/** Makes a node current, zooming out or over when it lies outside of what is seen. */
export async function visitNode(node: number): Promise<void> {
  const shownTree = tree.peek();
  if (!shownTree) return;
  const step = steps.begin();
  const detail = await core.node(shownTree.id, node);
  const inside = detail.path.some((caller) => caller.node === zoom.peek());
  const seen = inside || (await isAncestor(node, zoom.peek()));
  if (step.aborted) return;
  if (!seen) await zoomTo(detail.path.at(-2)?.node ?? ROOT);
  current.value = node;
  announcement.value = describeFrame(detail);
  if (pictureRoute.peek().selection && !step.aborted) await select(node);
}

/** Another frame of the selected function. */
export function nextOccurrence(step: 1 | -1): Promise<void> {
  return inTurn(async (id) => {
    if (selected.peek() === NONE) return;
    const node = await core.otherOccurrence(id, selected.peek(), step);
    await select(node);
    await visitNode(node);
  });
}

/** The order of matches in a view that has its own. */
interface MatchOrder {
  /** One of so many matches. */
  at: (tree: number, at: number, count: number) => Promise<number>;
  /** Which of so many matches is seen first. */
  first: (tree: number, count: number) => Promise<number>;
}

export const matchOrder = signal<MatchOrder | null>(null);

/** The search under way, if there is one. */
const searching = signal(Promise.resolve());

export function nextMatch(step: 1 | -1): Promise<void> {
  return inTurn(async (id) => {
    // Enter right behind the last letter means that word, too.
    await searching.peek();
    const matches = searchResult.peek();
    if (!matches || matches.matches === 0) return;
    const { matches: count } = matches;
    const ordered = matchOrder.peek();
    const at = matches.at < 0 ? await firstMatch(id, count, step) : (matches.at + step + count) % count;
    await visitNode(await (ordered ? ordered.at(id, at, count) : core.matchAt(id, at)));
    if (searchResult.peek() === matches) searchResult.value = { ...matches, at };
  });
}

/** Where stepping begins: at the end, backwards. */
async function firstMatch(id: number, count: number, step: 1 | -1): Promise<number> {
  if (step < 0) return count - 1;
  return (await matchOrder.peek()?.first(id, count)) ?? 0;
}

export function describeFrame(detail: NodeDetail): string {
  const children = detail.children === 1 ? "1 child" : `${detail.children} children`;
  const from = detail.start === null ? "" : `, from ${formatMoment(detail.start, detail.total / 1e11)}`;
  const value = detail.diff ? "" : `${formatValue(detail.total, tree.peek()?.unit ?? "")}, `;
  return `${detail.name}, ${value}${describeShare(detail)}${from}, ${children}`;
}

/** Of a comparison the share of each side. */
function describeShare({ fraction, diff }: NodeDetail): string {
  const sides = tree.peek()?.diff;
  if (!diff || !sides) return percent(fraction);
  const base = percent(diff.base_total / (sides.base || 1));
  const comparison = percent(diff.comparison_total / (sides.comparison || 1));
  return `${base} of the baseline, ${comparison} of the comparison`;
}

const lookups = latest();
/** The lookup under way, if there is one. */
const applied = signal(Promise.resolve());

/** The tree once the frames of the address are found in it. The one before may be closed by then. */
async function lookedUp(): Promise<TreeInfo | null> {
  const lookup = applied.peek();
  await lookup;
  return lookup === applied.peek() ? tree.peek() : lookedUp();
}

/** A frame that the tree lacks is as if none were named; the URL keeps its key for the next tree. */
async function applyUrl(next: TreeInfo | null, target: Picture): Promise<void> {
  const lookup = lookups.begin();
  const before = untracked(() => view.value);
  if (before.tree !== next) nodeByKey.clear();
  const lookUp = async (key: string | null) => {
    if (!next || key === null) return NONE;
    return nodeOf(next.id, key).catch((failure) => {
      callFailed(next.id, "find a frame from this link")(failure);
      return NONE;
    });
  };
  const known = (key: string | null) => (key === null ? NONE : nodeByKey.get(key));
  // Synchronous where the keys are known: one's own steps must not lag behind the pointer.
  const zoomed = known(target.zoom) ?? (await lookUp(target.zoom));
  const chosen = known(target.selection) ?? (await lookUp(target.selection));
  const isNew = before.tree !== next;
  const there = next && isNew && chosen === NONE ? await remembered(next).catch(() => null) : null;
  if (lookup.aborted) return;
  nodeByKey.set(target.zoom, zoomed).set(target.selection, chosen);
  const { extent: seen, urlExtent } = view.peek();
  batch(() => {
    view.value = {
      tree: next,
      zoom: zoomed === NONE ? ROOT : zoomed,
      // While it is dragged, the extent is ahead of the URL.
      extent: target.extent === urlExtent ? seen : target.extent,
      urlExtent: target.extent,
      selected: chosen,
    };
    if (!isNew) return;
    const top = view.peek().zoom;
    const inside = there?.path.some(({ node }) => node === top) ? there : null;
    current.value = chosen === NONE ? (inside?.node ?? top) : chosen;
    announcement.value = inside ? describeFrame(inside) : "";
    // What this tree lacks may be in the next.
    if (next && chosen === NONE) place.value = { ...place.peek(), tree: next.id, node: current.value };
  });
}

/** The node of a key. The core finds the root for a key that the tree lacks, too. */
async function nodeOf(id: number, key: string): Promise<number> {
  const node = await core.find(id, key);
  return node === ROOT && key !== (await core.key(id, ROOT)) ? NONE : node;
}

async function keyOf(node: number, none: number): Promise<string | null> {
  const shownTree = tree.peek();
  if (node === none || !shownTree) return null;
  const key = await core.key(shownTree.id, node);
  nodeByKey.set(key, node);
  return key;
}

async function search(id: number, query: string): Promise<void> {
  try {
    const info = await core.search(id, query);
    if (tree.peek()?.id === id && pictureRoute.peek().search === query)
      searchResult.value = query ? { ...info, at: -1, valid: true } : null;
  } catch (failure) {
    if (!(failure instanceof CoreError) || failure.fatal) callFailed(id, "search")(failure);
    // Half a regular expression, while it is typed: nothing stays marked that it does not mean.
    else if (tree.peek()?.id === id) {
      searchResult.value = { matches: 0, fraction: 0, total: 0, side_fractions: null, at: -1, valid: false };
      await core.search(id, "").catch(callFailed(id, "search"));
    }
  }
  flagsChanged();
}

async function isAncestor(node: number, of: number): Promise<boolean> {
  const shownTree = tree.peek();
  if (!shownTree) return false;
  const { path } = await core.node(shownTree.id, of);
  return path.some((step) => step.node === node);
}

function flagsChanged(): void {
  untracked(() => flagsVersion.value++);
}
