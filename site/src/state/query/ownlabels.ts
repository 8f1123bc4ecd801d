/** The labels of the service and type that are seen, never those of the ones before, which stay until the next are there. */
import { computed, effect, signal } from "@preact/signals";
import { serviceRoute } from "../url/router.ts";
import { labels } from "./services.ts";

const subjectOf = ({ service, type }: { service: string; type: string }) => JSON.stringify([service, type]);
const subject = signal("");
effect(() => {
  if (labels.value.state === "ready") subject.value = subjectOf(serviceRoute.peek());
});

/** Undefined until they are known. */
export const ownLabels = computed(() =>
  subject.value === subjectOf(serviceRoute.value) ? labels.value.value : undefined,
);
