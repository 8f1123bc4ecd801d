/** Facts about an answer, as the foot line lists them. */
import { isGauge } from "./type.ts";
import { plural } from "./value.ts";

/** "240 profiles", "average of 116 snapshots". */
export function describeProfiles(profiles: number, type: string): string {
  return isGauge(type) ? `average of ${plural(profiles, "snapshot")}` : plural(profiles, "profile");
}

export function describeNodes(nodes: number): string {
  return `${plural(nodes, "node")}, none folded`;
}
