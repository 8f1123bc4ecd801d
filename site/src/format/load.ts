/** Load in one unit on all pages: cores for CPU time, amounts a second for everything else. */
import { A_SECOND, CORES } from "../core/divided.ts";
import type { Series } from "../time/series.ts";
import { isCpu, isGauge, typeParts } from "./type.ts";
import { formatValue, fromTo } from "./value.ts";

/** "1.28 cores", "3.4 MiB/s", of an amount in so many milliseconds; of a gauge, how much there is. */
export function formatLoad(amount: number, millis: number, type: string): string {
  const { unit } = typeParts(type);
  if (isGauge(type)) return formatValue(amount, unit);
  return isCpu(type)
    ? formatValue(amount / millis / 1e6, CORES)
    : formatValue((amount * 1e3) / millis, unit + A_SECOND);
}

export function formatLoads(before: number, after: number, millis: number, type: string): string {
  return fromTo(formatLoad(before, millis, type), formatLoad(after, millis, type));
}

/** The load of a step of a series; an amount where steps say nothing about the time around them. */
export function formatStepLoad({ sparse, step }: Series, type: string, value: number): string {
  return sparse ? formatValue(value, typeParts(type).unit) : formatLoad(value, step, type);
}
