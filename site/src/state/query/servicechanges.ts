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

/** A version that began without a change of the load: it may have moved cost from one function to another. */
export interface NewVersion extends Pick<ServiceChange, "type" | "label" | "from" | "step"> {
  kind: "version";
  versions: { before: string; after: string };
}

/** By `changeKey`; services in which nothing stands out are missing. */
export const serviceChanges = signal<Record<string, ServiceChange | NewVersion>>({});

/** Whether they are being looked for. */
export const looking = signal(false);

export function changeKey(service: string, type: string): string {
  return `${type} ${service}`;
}

export function changeOf(service: string, type: string): ServiceChange | null {
  const found = serviceChanges.value[changeKey(service, type)];
  return found && found.kind !== "version" ? found : null;
}

export function newVersionOf(service: string, type: string): NewVersion | null {
  const found = serviceChanges.value[changeKey(service, type)];
  return found?.kind === "version" ? found : null;
}

/** How many times as much there is since a change that lasts; null where there is none. */
export function lastingChange(service: string, type: string): number | null {
  const found = changeOf(service, type);
  return found && found.kind !== "spike" && found.lasted === undefined ? changeRatio(found) : null;
}
