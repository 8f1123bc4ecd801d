/** What was annotated in the range of the timeline: of its service, and of all. Where that fails nothing is marked. */
import { effect, signal } from "@preact/signals";
import { askServer, json, posted } from "../../api.ts";
import type { Mark } from "../../time/marks.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute } from "../url/router.ts";
import { placeOf } from "./place.ts";
import { span } from "./services.ts";
import { annotated } from "./shownmarks.ts";

export interface Annotation extends Mark {
  id: number;
  /** The service that it is about; all without one. */
  service?: string;
}

/** Raised by each change, so that they are read again. */
const changes = signal(0);

export const annotations = resource(
  "find the annotations",
  () => {
    const { service } = exploreRoute.value;
    // A bucket and a bundle have none that one may read.
    if (placeOf("base") !== "" || !service) return null;
    return { service, ...span.value, at: clock.value, changes: changes.value };
  },
  async ({ service, from, until }, signal) => {
    const asked = { service, from: String(from), until: String(until) };
    return (await json<{ annotations: Annotation[] }>("annotations", asked, signal)).annotations;
  },
  ({ service }) => service,
  "dropped",
);

effect(() => {
  annotated.value = annotations.value.value ?? [];
});

/** Keeps one. Fails as the API does. */
export async function annotate(wanted: Omit<Annotation, "id">): Promise<void> {
  await askServer("annotations", {}, null, posted(wanted));
  changes.value++;
}

export async function deleteAnnotation(id: number): Promise<void> {
  await askServer("annotations", { id: String(id) }, null, { method: "DELETE" });
  changes.value++;
}
