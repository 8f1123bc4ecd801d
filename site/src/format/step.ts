/** Steps in words. */
import { argumentOf, nameOf, timeOf, verbOf } from "../core/steps.ts";
import { baseName } from "../flame/label.ts";
import { formatValue } from "./value.ts";

export function stepLabel(step: string): string {
  const [verb, argument, name] = [verbOf(step), argumentOf(step), nameOf(step)];
  if (verb === "group") return `by ${argument}`;
  const time = timeOf(step);
  if (time) return `${formatValue(time[0] * 1e9, "nanoseconds")} – ${formatValue(time[1] * 1e9, "nanoseconds")}`;
  if (verb === "recursion") return argument === "direct" ? "recursion folded" : "cycles folded";
  if (verb === "inlines") return "inlined calls hidden";
  return `${verb.replace("-", " ")} ${name === null ? `/${argument}/` : baseName(name)}`;
}
