/** Steps in words. */
import { argumentOf, labelOf, nameOf, type Seconds, timeOf, verbOf } from "../core/steps.ts";
import { baseName } from "../flame/framelabel.ts";
import { formatValue } from "./value.ts";

/** 1.2 s – 3.4 s. */
export function spanLabel(span: Seconds): string {
  return span.map((seconds) => formatValue(seconds * 1e9, "nanoseconds")).join(" – ");
}

export function stepLabel(step: string): string {
  const [verb, argument, name] = [verbOf(step), argumentOf(step), nameOf(step)];
  if (verb === "group") return `by ${argument}`;
  const time = timeOf(step);
  if (time) return spanLabel(time);
  if (verb === "tagroot") return `${argument} at the root`;
  if (verb === "tagleaf") return `${argument} at the leaves`;
  if (verb === "tagfocus" || verb === "tagignore") {
    const label = labelOf(step);
    if (label) return `${label.key} ${verb === "tagfocus" ? "=" : "≠"} ${label.value}`;
    return `${verb === "tagfocus" ? "with" : "without"} label ${argument}`;
  }
  if (verb === "recursion") return argument === "direct" ? "recursion folded" : "cycles folded";
  if (verb === "inlines") return "inlined calls hidden";
  return `${verb.replace("-", " ")} ${name === null ? `/${argument}/` : baseName(name)}`;
}

/** Why a step leaves the picture without what it asks for. */
export function idleReason(step: string): string {
  return verbOf(step) === "group" ? `no frame has a ${argumentOf(step)}` : "matches nothing";
}
