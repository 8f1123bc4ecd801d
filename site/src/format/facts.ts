/** Facts about an answer, as the foot line lists them. */
import type { ProfileInfo } from "../core/types.ts";
import { isGauge } from "./type.ts";
import { formatValue, plural } from "./value.ts";

/** "240 profiles", "average of 116 snapshots". */
export function describeProfiles(profiles: number, type: string): string {
  return isGauge(type) ? `average of ${plural(profiles, "snapshot")}` : plural(profiles, "profile");
}

export function describeFrames(frames: number, undrawn: number): string {
  return plural(frames, "frame") + (undrawn > 0 ? `, ${undrawn} without a width` : "");
}

/**
 * What a file has: "37 records", "one sample every 10 ms of cpu time", "12 functions". A record is what the file format calls a
 * sample, but it may stand for many of them.
 */
export function describeContent(info: ProfileInfo, type: string | undefined): string[] {
  const { samples, functions, addresses, period, period_type, period_unit, types } = info;
  const across = types.length > 1 ? " across all types" : "";
  return [
    plural(samples, "record"),
    ...(type === "samples" && period > 0 && period_unit === "nanoseconds" ? [every(period, period_type)] : []),
    ...(functions > 0 || !addresses ? [plural(functions, "function") + across] : []),
    ...(addresses > 0 ? [plural(addresses, "address", "addresses") + across] : []),
  ];
}

function every(nanoseconds: number, clock: string): string {
  return `one sample every ${formatValue(nanoseconds, "nanoseconds")}${clock && ` of ${clock} time`}`;
}
