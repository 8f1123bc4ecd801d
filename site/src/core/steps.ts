/**
 * Steps between a profile and its picture: what the core does with the profile before it is drawn, one after the other. A
 * step is a text, `verb:argument`, in the core as in the address of the page, where these words are a promise.
 */

/** Steps whose argument is a regular expression, which may match anywhere in the name or file of a frame. */
export const PATTERN_VERBS = ["focus", "ignore", "hide", "show", "show-from", "prune-from"] as const;
export type PatternVerb = (typeof PATTERN_VERBS)[number];

/** Steps whose argument is a pattern of labels, `key=REGEX` or `key=32kb:64kb`: samples with such a label, or without. */
export const TAG_VERBS = ["tagfocus", "tagignore"] as const;
export type TagVerb = (typeof TAG_VERBS)[number];

/** Steps whose argument is keys of labels: their values become frames, outermost or innermost. */
export const TAG_FRAME_VERBS = ["tagroot", "tagleaf"] as const;
export type TagFrameVerb = (typeof TAG_FRAME_VERBS)[number];

const WITH_TEXT: string[] = [...PATTERN_VERBS, ...TAG_VERBS, ...TAG_FRAME_VERBS];

export const GROUPS = ["function", "file", "package", "module"] as const;
/** What counts as one frame. */
export type Group = (typeof GROUPS)[number];

/** What a step begins with. */
export const STEP_VERBS = [...WITH_TEXT, "group", "recursion", "inlines", "time"];

/** What was between two points in time, in seconds since the first sample. */
const TIME = /^time:(.*)$/;
const SPAN = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/;

/** As many as the core takes. */
const MOST = 64;

const FIXED = ["recursion:direct", "recursion:cycles", "inlines:hide", ...GROUPS.map((group) => `group:${group}`)];

/** The steps of an address; whatever is none is left out. */
export function parseSteps(texts: string[]): string[] {
  const isStep = (text: string) =>
    FIXED.includes(text) ||
    timeOf(text) !== null ||
    WITH_TEXT.some((verb) => text.startsWith(`${verb}:`) && text.length > verb.length + 1);
  return texts.filter(isStep).slice(0, MOST);
}

/** A span of time in seconds. */
export type Seconds = [from: number, until: number];

/** `0.5-2`, with nanoseconds: more digits would be noise. */
export function formatSeconds([from, until]: Seconds): string {
  const text = (seconds: number) => seconds.toFixed(9).replace(/\.?0+$/, "");
  return `${text(from)}-${text(until)}`;
}

export function parseSeconds(text: string): Seconds | null {
  const match = SPAN.exec(text);
  return match && [Number(match[1]), Number(match[2])];
}

export function timeStep(span: Seconds): string {
  return `time:${formatSeconds(span)}`;
}

/** The span of a step of time. */
export function timeOf(step: string): Seconds | null {
  const match = TIME.exec(step);
  return match && parseSeconds(match[1]);
}

/** Whether a step is a filter by frames or labels: it leaves out something, at all times. */
export function isFilter(step: string): boolean {
  return [...PATTERN_VERBS, ...TAG_VERBS].some((verb) => step.startsWith(`${verb}:`));
}

/** The span of the first step of time there is. */
export function timeAmong(steps: string[]): Seconds | null {
  return steps.map(timeOf).find((span) => span !== null) ?? null;
}

/** The key and value that a step of labels means, when it is of one text alone. */
export function labelOf(step: string): { key: string; value: string } | null {
  const match = /^([^=]+)=\^(.*)\$$/s.exec(argumentOf(step));
  if (!match) return null;
  // Escapes are all that an expression of one text has; what is left of one with more has operators.
  const [, key, pattern] = match;
  const plain = pattern.replace(/\\(x2c|x3d|[\\^$.*+?()[\]{}|])/g, "");
  if (/[\\^$.*+?()[\]{}|,]/.test(plain)) return null;
  const codes: Record<string, string> = { x2c: ",", x3d: "=" };
  return { key, value: pattern.replace(/\\(x2c|x3d|.)/gs, (_, code: string) => codes[code] ?? code) };
}

export function verbOf(step: string): string {
  return step.slice(0, step.indexOf(":"));
}

export function argumentOf(step: string): string {
  return step.slice(step.indexOf(":") + 1);
}

/** The step that means the functions of one name. */
export function stepOf(verb: PatternVerb, name: string): string {
  return `${verb}:^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}

/** The name that a step means, when it is of one name alone. */
export function nameOf(step: string): string | null {
  const inner = /^\^(.*)\$$/s.exec(argumentOf(step))?.[1] ?? null;
  if (inner === null) return null;
  const name = inner.replace(/\\([\\^$.*+?()[\]{}|])/g, "$1");
  return stepOf(verbOf(step) as PatternVerb, name) === step ? name : null;
}
