/**
 * What all who look at a tenant's profiles share: settings of Pyroscope's settings service, each a text with a name. Ours
 * begin with `pilotlight.`, next to those of Grafana's pages.
 */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { askConnect } from "../../api.ts";
import { type Loaded, resource } from "../resource.ts";
import { route } from "../url/router.ts";
import { placeOf } from "./place.ts";
import { server } from "./services.ts";

const PREFIX = "pilotlight.";

/** Raised by each change, so that it is read again. */
const changes = signal(0);
/** Whether anything that is seen needs them: this script may be there for the sake of others. */
const needed = signal(false);

/** Every setting of ours by its name without the prefix; there are none without a server. */
const settings = resource(
  "read the settings",
  () => {
    const here = route.value.page !== "file" && placeOf("base") === "" && server.value === "present";
    return here && needed.value ? { changes: changes.value } : null;
  },
  (_, signal) => readSettings(signal),
);

export async function readSettings(signal: AbortSignal | null): Promise<Record<string, string>> {
  type Answer = { settings?: { name: string; value?: string }[] };
  const { message } = await call<Answer>("Get", {}, signal);
  const ours = (message.settings ?? []).filter(({ name }) => name.startsWith(PREFIX));
  return Object.fromEntries(ours.map(({ name, value = "" }) => [name.slice(PREFIX.length), value]));
}

/** The settings, for a component that is seen. */
export function useSettings(): Loaded<Record<string, string>> {
  useEffect(() => {
    needed.value = true;
  }, []);
  return settings.value;
}

/** Gives a setting its value for all; without a value it is taken away. Fails as the API does. */
export async function changeSetting(name: string, value: string): Promise<void> {
  if (value === "") await call("Delete", { name: PREFIX + name }, null);
  else await call("Set", { setting: { name: PREFIX + name, value } }, null);
  changes.value++;
}

function call<T>(method: "Get" | "Set" | "Delete", message: object, signal: AbortSignal | null) {
  return askConnect<T>(`settings.v1.SettingsService/${method}`, message, signal);
}
