/** For how long services have had no profiles. Who finds it is fetched after the services. */
import { signal } from "@preact/signals";
import type { Silence } from "../../time/quiet.ts";
import { changeKey } from "./servicechanges.ts";

/** By `changeKey`; those that have profiles are missing. */
export const silences = signal<Record<string, Silence>>({});

/** How long a type of a service has had no profiles; null where there are some, or the usual time between two explains it. */
export function silenceOf(service: string, type: string): Silence | null {
  return silences.value[changeKey(service, type)] ?? null;
}
