/** What the timeline of /explore marks. Who finds it is fetched after the timeline. */
import { computed, signal } from "@preact/signals";
import type { Mark } from "../../time/marks.ts";

/** Where versions begin. */
export const marks = signal<Mark[]>([]);
/** What people and deploy jobs said. */
export const annotated = signal<Mark[]>([]);
export const allMarks = computed(() => [...marks.value, ...annotated.value].sort((a, b) => a.time - b.time));
