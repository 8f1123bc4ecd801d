/** What was annotated in the range of the timeline: of its service, and of all. Where that fails nothing is marked. */
import { effect } from "@preact/signals";
import { json } from "../../api.ts";
import type { Mark } from "../../time/marks.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { urlState } from "../url/router.ts";
import { annotated } from "./marks.ts";
import { placeOf } from "./place.ts";
import { span } from "./services.ts";

const found = resource(
  "find the annotations",
  () => {
    const { route, service } = urlState.value;
    // A bucket and a bundle have none that one may read.
    if (route !== "explore" || placeOf("base") !== "" || !service) return null;
    return { service, ...span.value, at: clock.value };
  },
  async ({ service, from, until }, signal) => {
    const asked = { service, from: String(from), until: String(until) };
    return (await json<{ annotations: Mark[] }>("annotations", asked, signal)).annotations;
  },
  ({ service }) => service,
  "dropped",
);

effect(() => {
  annotated.value = found.value.value ?? [];
});
