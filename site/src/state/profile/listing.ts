/** Source lines of the selected function, and the texts of source files that the person has given. */
import { computed, signal } from "@preact/signals";
import { core } from "../../core/index.ts";
import type { Line } from "../../core/types.ts";
import { notify } from "../page/notice.ts";
import { resource } from "../resource.ts";
import { pictureRoute } from "../url/router.ts";
import { isCurrent } from "./draw.ts";
import { selectedDetail, tree } from "./focus.ts";
import { shown } from "./shown.ts";

/** More text than this is no source file. */
const MAX_SOURCE = 8 << 20;

/** The selected function; null when none is selected, or all of them are. */
export const listed = computed(() => {
  const detail = selectedDetail.value.value?.detail;
  return detail && detail.func !== 0 ? { name: detail.name, file: detail.file } : null;
});

/** A comparison has none. */
export const hasLines = computed(
  () => shown.value.state === "ready" && shown.value.subject !== undefined && !shown.value.tree.diff,
);

export interface Listing {
  name: string;
  file: string;
  lines: Line[];
}

/** The lines of that function, or of its whole file. */
export const listing = resource(
  "list the source lines",
  () => {
    const answer = shown.value;
    const of = listed.value;
    if (answer.state !== "ready" || !answer.subject || !hasLines.value || !of || !isCurrent.value) return null;
    const { subject, stepProblem } = answer;
    // Steps that cannot be taken are not taken here either.
    const steps = stepProblem ? [] : pictureRoute.value.steps;
    // Without a file there is nothing but the function.
    const whole = pictureRoute.value.wholeFile && of.file !== "";
    return { subject, steps, whole, of, tree: tree.value?.id };
  },
  async ({ subject: { profile, type, division }, steps, whole, of }): Promise<Listing> => {
    const asked = { name: whole ? null : of.name, file: of.file };
    return { ...of, lines: await core.lines(profile, type, steps, asked, division) };
  },
);

/** Lines of text by the path that profiles have for the file. They stay in this page's memory. */
export const sources = signal(new Map<string, string[]>());

/** Of some files, those that are no source of what is listed. */
export function takeSources(given: File[]): File[] {
  const path = listed.peek()?.file ?? "";
  const source = given.find(({ name }) => isSourceOf(name, path));
  if (source) void readSource(source, path);
  return given.filter((file) => file !== source);
}

/** One that was picked has to be the right one. */
export function pickSource(file: File): void {
  const path = listed.peek()?.file ?? "";
  if (isSourceOf(file.name, path)) void readSource(file, path);
  else notify(`${file.name} is not the source file ${baseOf(path)}`);
}

/** A file from a disk has no path: its name has to be the end of the profile's. */
export function isSourceOf(name: string, path: string): boolean {
  return path !== "" && name === baseOf(path);
}

export function baseOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

async function readSource(file: File, path: string): Promise<void> {
  if (file.size > MAX_SOURCE) return notify(`${file.name} is too large for a source file; the limit is 8 MiB`);
  const text = await file.text();
  if (text.includes("\0")) return notify(`${file.name} is not a text file`);
  sources.value = new Map([...sources.peek(), [path, linesOf(text)]]);
}

/** What ends with a line break has no line behind it. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** A row of what is seen: a line, what it cost, and its text. */
export interface SourceRow {
  line: number;
  cost: Line | null;
  text: string | null;
}

/** The lines that cost something, or all lines of the source with what they cost. */
export function rowsOf(lines: Line[], source: string[] | undefined): SourceRow[] {
  if (!source) return lines.map((cost) => ({ line: cost.line, cost, text: null }));
  const costs = new Map<number, Line[]>();
  for (const cost of lines) costs.set(cost.line, [...(costs.get(cost.line) ?? []), cost]);
  const of = (line: number, text: string): SourceRow[] => {
    const [first = null, ...more] = costs.get(line) ?? [];
    return [{ line, cost: first, text }, ...more.map((cost) => ({ line, cost, text: "" }))];
  };
  const outside = lines.filter(({ line }) => line < 1 || line > source.length);
  return [
    ...source.flatMap((text, i) => of(i + 1, text)),
    ...outside.map((cost) => ({ line: cost.line, cost, text: "" })),
  ];
}
