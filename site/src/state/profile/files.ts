/** /file: the profiles that are open. They live in this page's memory, and leave it only when somebody shares one. */
import { computed, signal, untracked } from "@preact/signals";
import { core } from "../../core/index.ts";
import type { ProfileInfo, SampleType } from "../../core/types.ts";
import { describeContent } from "../../format/facts.ts";
import { convertible, formatBytes, formatMillis, inFinerUnit, plural } from "../../format/value.ts";
import { coverageDiffers, resolveMeasure } from "../query/measure.ts";
import { fileRoute, route } from "../url/router.ts";
import type { SideName } from "../url/values.ts";
import { drawing, drawingComparison } from "./draw.ts";
import { sharedTypes, typesDiffer } from "./sametypes.ts";
import { type Answer, clear, type Progress, show } from "./shown.ts";

export interface OpenedFile {
  info: ProfileInfo;
  bytes: number;
  millis: number;
  checked: boolean;
  /** Where it was fetched from; empty for one from the disk. */
  address: string;
  /** Where it stands in a comparison, once the person has said so. */
  side?: SideName;
}

export const files = signal<OpenedFile[]>([]);
/** The file that is on its way. */
export const opening = signal<Opening | null>(null);

export interface Opening {
  /** What is done with it. */
  stage: string;
  name: string;
  bytes: number;
  /** Of how many bytes; 0 when that is not known. */
  size: number;
  cancel: () => void;
}

export const checked = computed(() => files.value.filter((file) => file.checked));
/** Why the checked files can't be merged, so that they are compared; empty where they can. */
export const differ = computed(() => typesDiffer(checked.value));
export const comparing = computed(() => checked.value.length > 1 && (fileRoute.value.compare || differ.value !== ""));

/**
 * Baseline and comparison: what the person said, else the first file and all others. Where not all files can be merged, those
 * with the types of the first are on its side.
 */
export const sides = computed((): Record<SideName, OpenedFile[]> => {
  const all = checked.value;
  const split = (isBase: (file: OpenedFile) => boolean) => ({
    base: all.filter(isBase),
    other: all.filter((file) => !isBase(file)),
  });
  const chosen = split(({ side }) => side === "base");
  if (chosen.base.length > 0 && chosen.other.length > 0) return chosen;
  return split((file) => (differ.value ? !typesDiffer([all[0], file]) : file === all[0]));
});

const wanted = computed(() => {
  if (route.value.page !== "file") return "null";
  const ids = checked.value.map(({ info }) => info.id);
  const base = comparing.value ? sides.value.base.map(({ info }) => info.id) : null;
  // What parts of one file are compared by does not concern which files are shown.
  const measure = base && fileRoute.value.measure;
  return JSON.stringify({ ids, base, type: fileRoute.value.type, measure });
});

/** Runs again whenever what it reads changes. */
export function loadFiles(): void {
  const asked = JSON.parse(wanted.value) as { ids: number[]; base: number[] | null } | null;
  if (!asked || opening.value) return;
  untracked(() => {
    if (asked.ids.length === 0) clear();
    else void show(`${asked.base ? "compare" : asked.ids.length > 1 ? "merge" : "show"} these profiles`, buildTree);
  });
}

/** Shows all files that are open. */
export function showAll(): void {
  files.value = files.value.map((file) => ({ ...file, checked: true }));
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

/** Baseline and comparison change places. */
export function swapFiles(): void {
  placeFiles(() => true);
}

/** One file goes to the other side. */
export function moveAcross(id: number): void {
  placeFiles(({ info }) => info.id === id);
}

function placeFiles(crosses: (file: OpenedFile) => boolean): void {
  const { base, other } = sides.peek();
  const isBase = (file: OpenedFile) => base.includes(file) !== crosses(file);
  files.value = files.value.map((file) =>
    base.includes(file) || other.includes(file) ? { ...file, side: isBase(file) ? "base" : "other" } : file,
  );
}

/** The types to choose from: those that all checked files have. */
export const offeredTypes = computed(() => sharedTypes(checked.value));

/** Index of the chosen sample type in a profile, else of the first file's default; its own default where it has neither. */
export function typeIndex(info: ProfileInfo): number {
  const first = checked.value[0]?.info;
  const offered = offeredTypes.value;
  const names = [fileRoute.value.type, first?.types[first.default_type]?.type, offered[0]];
  const name = names.find((name) => offered.some((type) => type === name));
  const index = info.types.findIndex(({ type }) => type === name);
  return index < 0 ? info.default_type : index;
}

async function buildTree(progress: Progress): Promise<Answer> {
  const started = performance.now();
  const chosen = checked.peek();
  const bytes = chosen.reduce((sum, file) => sum + file.bytes, 0);
  const read = `${plural(chosen.length, "file")}${chosen.length > 1 && !comparing.peek() ? " merged" : ""}, ${formatBytes(bytes)}`;
  const decoding = chosen.reduce((sum, file) => sum + file.millis, 0);
  const time = () => formatMillis(decoding + performance.now() - started);
  const warnings = chosen.flatMap(({ info }) =>
    info.warnings.map((text) => (chosen.length > 1 ? `${info.name}: ${text}` : text)),
  );
  if (comparing.peek()) {
    const base = await together(sides.peek().base, progress);
    const other = await together(sides.peek().other, progress);
    progress.stage("comparing");
    const totals = totalsOf(base, other);
    const differ = totals !== undefined && coverageDiffers(totals.base.total, totals.other.total);
    // Of a longer recording all amounts are larger.
    const share = resolveMeasure(fileRoute.peek().measure, differ, false) === "share";
    const type = typeIndex(base);
    const draw = drawingComparison((steps, invert) => core.diff(base.id, other.id, type, share, steps, invert));
    const drawn = await draw();
    const title = `${titleOf(sides.peek().base)} → ${titleOf(sides.peek().other)}`;
    return { state: "ready", ...drawn, draw, title, facts: [read, time()], warnings, exported: null, totals };
  }
  const profile = await together(chosen, progress);
  progress.stage("drawing");
  const { id, timed, labelled } = profile;
  const subject = { profile: id, type: typeIndex(profile), timed, labelled };
  const draw = drawing(subject);
  const drawn = await draw();
  return {
    state: "ready",
    ...drawn,
    draw,
    subject,
    title: titleOf(chosen),
    // A merged profile has one record for each distinct stack, and only functions in use: fewer than its parts.
    facts: [read, ...(chosen.length > 1 ? [] : describeContent(profile, profile.types[subject.type]?.type)), time()],
    warnings,
    exported: profile.id,
  };
}

/** A file as it is, several added up. */
async function together(list: OpenedFile[], progress: Progress): Promise<ProfileInfo> {
  const [first, ...more] = list.map(({ info }) => info);
  if (more.length === 0) return first;
  progress.stage(`merging ${list.length} files`);
  const merged = await core.merge(list.map(({ info }) => info.id));
  progress.own(merged.id);
  return merged;
}

function titleOf(list: OpenedFile[]): string {
  return list.length > 1 ? `${plural(list.length, "file")} merged` : list[0].info.name;
}

/** What both sides have of the type that is compared, in the unit of the comparison; nothing where one lacks it. */
function totalsOf(base: ProfileInfo, other: ProfileInfo): Record<SideName, SampleType> | undefined {
  const first = base.types[typeIndex(base)];
  const alike = other.types.filter(({ type, unit }) => type === first.type && convertible(unit, first.unit));
  const second = alike.find(({ unit }) => unit === first.unit) ?? alike[0];
  return second && { base: inFinerUnit(first, second.unit), other: inFinerUnit(second, first.unit) };
}
