/**
 * Steps between a profile and its picture: what the core does with the profile before it is drawn, one after the other. A
 * step is a text, `verb:argument`, in the core as in the address of the page, where these words are a promise.
 */

/** Steps whose argument is a regular expression, which may match anywhere in the name or file of a frame. */
export const PATTERN_VERBS = ["focus", "ignore", "hide", "show", "show-from", "prune-from"] as const;
export type PatternVerb = (typeof PATTERN_VERBS)[number];

export const GROUPS = ["function", "file", "package", "module"] as const;
/** What counts as one frame. */
export type Group = (typeof GROUPS)[number];

/** What was between two points in time, in seconds since the first sample. */
const TIME = /^time:(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/;

/** As many as the core takes. */
const MOST = 64;

const FIXED = ["recursion:direct", "recursion:cycles", "inlines:hide", ...GROUPS.map((group) => `group:${group}`)];

/** The steps of an address; whatever is none is left out. */
export function parseSteps(texts: string[]): string[] {
  const isStep = (text: string) =>
    FIXED.includes(text) ||
    TIME.test(text) ||
    PATTERN_VERBS.some((verb) => text.startsWith(`${verb}:`) && text.length > verb.length + 1);
  return texts.filter(isStep).slice(0, MOST);
}

/** A span of time in seconds. */
export type Seconds = [from: number, until: number];

export function timeStep([from, until]: Seconds): string {
  // Nanoseconds: more digits would be noise.
  const text = (seconds: number) => seconds.toFixed(9).replace(/\.?0+$/, "");
  return `time:${text(from)}-${text(until)}`;
}

/** The span of a step of time. */
export function timeOf(step: string): Seconds | null {
  const match = TIME.exec(step);
  return match && [Number(match[1]), Number(match[2])];
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
