/** What changed in the load of each service of the front page. Who finds it is fetched after the services. */
import { signal } from "@preact/signals";
import { changeRatio, type LoadChange } from "../../time/changeratio.ts";

/** A change, and the label whose versions it has. */
export interface ServiceChange extends LoadChange {
  type: string;
  label: string;
  /** Length of a step, of which the amounts are. */
  step: number;
}

/** By `changeKey`; services in which nothing stands out are missing. */
export const serviceChanges = signal<Record<string, ServiceChange>>({});

/** Whether they are being looked for. */
export const looking = signal(false);

export function changeKey(service: string, type: string): string {
  return `${type} ${service}`;
}

export function changeOf(service: string, type: string): ServiceChange | null {
  return serviceChanges.value[changeKey(service, type)] ?? null;
}

/** How many times as much there is since a change that lasts; null where there is none. */
export function lastingChange(service: string, type: string): number | null {
  const found = changeOf(service, type);
  return found && found.kind !== "spike" ? changeRatio(found) : null;
}
