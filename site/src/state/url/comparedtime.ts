/** The second part of the time that the picture of a file is compared with. */
import { computed } from "@preact/signals";
import { fileRoute, pictureRoute } from "./router.ts";

/** Null without one, and in a chart, which is of the first part alone. */
export const comparedTime = computed(() => (pictureRoute.value.view === "chart" ? null : fileRoute.value.against));
