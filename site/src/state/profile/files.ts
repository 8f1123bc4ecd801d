/** /file: profiles opened from disk. They live in this page's memory and go nowhere else. */
import { batch, computed, signal, untracked } from "@preact/signals";
import { core } from "../../core/index.ts";
import type { ProfileInfo } from "../../core/types.ts";
import { describeNodes } from "../../format/facts.ts";
import { formatBytes, formatMillis, plural } from "../../format/value.ts";
import { notify } from "../page/notice.ts";
import { type Problem, problemOf } from "../problem.ts";
import { go, urlState, visit } from "../url/router.ts";
import { type Answer, clear, type Progress, show } from "./shown.ts";

export interface OpenedFile {
  info: ProfileInfo;
  bytes: number;
  millis: number;
  checked: boolean;
}

export const files = signal<OpenedFile[]>([]);
/** Files that could not be read, each under its name; they stay in view until dismissed or replaced. */
export const failures = signal<Problem[]>([]);
export const opening = signal<{ name: string; bytes: number; position: string; cancel: () => void } | null>(null);

export const checked = computed(() => files.value.filter((file) => file.checked));
export const comparing = computed(() => urlState.value.compare && checked.value.length === 2);

const wanted = computed(() => {
  if (urlState.value.route !== "file") return "null";
  const ids = checked.value.map(({ info }) => info.id);
  return JSON.stringify({ ids, type: urlState.value.type, compare: comparing.value, measure: urlState.value.measure });
});

/** Runs again whenever what it reads changes. */
export function loadFiles(): void {
  const asked = JSON.parse(wanted.value) as { ids: number[]; compare: boolean } | null;
  if (!asked || opening.value) return;
  untracked(() => {
    if (asked.ids.length === 0) clear();
    else void show(asked.compare ? "compare these profiles" : "show these profiles", buildTree);
  });
}

let batches: Promise<void> = Promise.resolve();

/** Opens files one after another; those opened together are looked at together. What comes meanwhile waits its turn. */
export function openFiles(list: Iterable<File>): Promise<void> {
  const chosen = [...list];
  // One that failed in an unexpected way does not keep the next ones from being opened. Its own caller hears of it.
  if (chosen.length > 0) {
    batches = batches
      .catch(() => {})
      .then(() => openBatch(chosen))
      .finally(() => (opening.value = null));
  }
  return batches;
}

/** A profile as text, from the clipboard. On a page of services, text that is no profile leaves the page as it is. */
export async function openText(text: string): Promise<void> {
  const file = new File([text], "pasted text");
  const { route } = urlState.peek();
  if (route !== "home" && route !== "file") {
    try {
      const { id } = await core.open(file.name, new Uint8Array(await file.arrayBuffer()));
      void core.close(id);
    } catch (failure) {
      return notify(`The pasted text cannot be opened. ${problemOf(failure, "read it").meaning}`);
    }
  }
  return openFiles([file]);
}

async function openBatch(chosen: File[]): Promise<void> {
  if (urlState.peek().route !== "file") visit("file");
  let cancelled = false;
  const opened: OpenedFile[] = [];
  const failed: Problem[] = [];
  const cancel = () => {
    cancelled = true;
    opening.value = null;
    for (const { info } of opened) void core.close(info.id);
  };
  failures.value = [];
  for (const [i, file] of chosen.entries()) {
    const position = chosen.length > 1 ? `${i + 1} of ${chosen.length}` : "";
    opening.value = { name: file.name, bytes: file.size, position, cancel };
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const started = performance.now();
      const info = await core.open(file.name, bytes);
      // Decoding cannot be stopped halfway; what was cancelled meanwhile is put away.
      if (cancelled) return void core.close(info.id);
      opened.push({ info, bytes: file.size, millis: performance.now() - started, checked: true });
    } catch (failure) {
      failed.push({ ...problemOf(failure, "read it"), title: file.name });
    }
    if (cancelled) return;
  }
  batch(() => {
    const before = opened.length > 0 ? files.peek().map((file) => ({ ...file, checked: false })) : files.peek();
    files.value = [...before, ...opened];
    failures.value = failed;
    opening.value = null;
    if (opened.length > 0) go({ zoom: "", extent: [0, 1], selection: "", compare: false }, "replace");
  });
}

export function setChecked(id: number, on: boolean): void {
  files.value = files.value.map((file) => (file.info.id === id ? { ...file, checked: on } : file));
}

/** Shows one file alone. */
export function showOnly(id: number): void {
  files.value = files.value.map((file) => ({ ...file, checked: file.info.id === id }));
}

export function closeFile(id: number): void {
  files.value = files.value.filter((file) => file.info.id !== id);
  void core.close(id);
}

/** Baseline and comparison change places: the first checked file is the baseline. */
export function swapFiles(): void {
  const [a, b] = checked.value;
  if (!a || !b) return;
  files.value = files.value.map((file) => (file === a ? b : file === b ? a : file));
}

/** Index of the chosen sample type in a profile; its own default where it has no such type. */
export function typeIndex(info: ProfileInfo): number {
  const index = info.types.findIndex(({ type }) => type === urlState.value.type);
  return index < 0 ? info.default_type : index;
}

async function buildTree(progress: Progress): Promise<Answer> {
  const started = performance.now();
  const chosen = checked.peek();
  const bytes = chosen.reduce((sum, file) => sum + file.bytes, 0);
  const [first, second] = chosen.map(({ info }) => info);
  const read = `${plural(chosen.length, "file")}${chosen.length > 1 && !comparing.peek() ? " added up" : ""}, ${formatBytes(bytes)}`;
  const decoding = chosen.reduce((sum, file) => sum + file.millis, 0);
  const time = () => formatMillis(decoding + performance.now() - started);
  const warnings = chosen.flatMap(({ info }) =>
    info.warnings.map((text) => (chosen.length > 1 ? `${info.name}: ${text}` : text)),
  );
  if (comparing.peek()) {
    progress.stage("comparing");
    const tree = await core.diff(first.id, second.id, typeIndex(first), urlState.peek().measure === "share");
    const title = `${first.name} → ${second.name}`;
    return { state: "ready", tree, title, facts: [read, describeNodes(tree.nodes), time()], warnings, exported: null };
  }
  progress.stage(chosen.length > 1 ? `merging ${chosen.length} files` : "drawing");
  const profile = chosen.length > 1 ? await core.merge(chosen.map(({ info }) => info.id)) : first;
  if (profile !== first) progress.own(profile.id);
  const tree = await core.tree(profile.id, typeIndex(profile));
  return {
    state: "ready",
    tree,
    title: chosen.length > 1 ? `${plural(chosen.length, "file")} merged` : first.name,
    facts: [
      read,
      plural(profile.samples, "sample"),
      plural(profile.functions, "function"),
      describeNodes(tree.nodes),
      time(),
    ],
    warnings,
    exported: profile.id,
  };
}
