/** What the timeline of /explore marks, and what else is known of versions. Who finds it is fetched after the timeline. */
import { computed, signal } from "@preact/signals";
import type { Mark } from "../../time/marks.ts";
import type { ComparedValues } from "../url/by.ts";
import type { RouteOf } from "../url/route.ts";
import { serviceRoute } from "../url/router.ts";
import type { LabelSides } from "./labels.ts";
import { placeOf } from "./place.ts";
import { versionLabel } from "./versionchanges.ts";

/** Where versions begin. */
export const marks = signal<Mark[]>([]);

/** The last two versions in a range. */
interface Latest {
  /** Which range, see `versionsOf`. */
  of: string;
  sides: LabelSides;
  /** "version 1.8.2 and 1.9.0", and where there is little room: "1.8.2 → 1.9.0". */
  text: string;
  short: string;
  /** As the address of a comparison of both has it. */
  by: ComparedValues;
}

/** Null where there are not two. */
export const latest = signal<Latest | null>(null);

/** The label of versions, where there is a server to ask when there were profiles of which. */
export function askedVersions(labels: Record<string, string[]>): string | undefined {
  return placeOf("base") === "" ? versionLabel(labels) : undefined;
}

/** What the versions are of. Another type or filter has others. */
export function versionsOf({ service, type, base }: RouteOf<"explore" | "diff">): string {
  return JSON.stringify([service, type, base]);
}

/** The last two versions of what is shown, if they are known. */
export const latestShown = computed(() => (latest.value?.of === versionsOf(serviceRoute.value) ? latest.value : null));

/** What people and deploy jobs said. */
export const annotated = signal<Mark[]>([]);
export const allMarks = computed(() => [...marks.value, ...annotated.value].sort((a, b) => a.time - b.time));
