/** The labels of the service that is seen, never those of the one before, which stay until the next are there. */
import { computed, effect, signal } from "@preact/signals";
import { serviceRoute } from "../url/router.ts";
import { labels } from "./services.ts";

const service = signal("");
effect(() => {
  if (labels.value.state === "ready") service.value = serviceRoute.peek().service;
});

/** Undefined until they are known. */
export const ownLabels = computed(() =>
  service.value === serviceRoute.value.service ? labels.value.value : undefined,
);
