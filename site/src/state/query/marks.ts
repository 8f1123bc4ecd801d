/** What the timeline of /explore marks. Who finds it is fetched after the timeline. */
import { signal } from "@preact/signals";
import type { Mark } from "../../time/marks.ts";

export const marks = signal<Mark[]>([]);
