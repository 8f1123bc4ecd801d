/**
 * What all who look at a tenant's profiles share: settings of Pyroscope's settings service, each a text with a name. Ours
 * begin with `pilotlight.`, next to those of Grafana's pages.
 */

import { signal } from "@preact/signals";
import { askConnect } from "../../api.ts";
import { resource } from "../resource.ts";
import { urlState } from "../url/router.ts";
import { placeOf } from "./place.ts";
import { server } from "./services.ts";

const PREFIX = "pilotlight.";

/** Raised by each change, so that it is read again. */
const changes = signal(0);

/** Every setting of ours by its name without the prefix; there are none without a server. */
export const settings = resource(
  "read the settings",
  () => {
    const here = urlState.value.route !== "file" && placeOf("base") === "" && server.value === "present";
    return here ? { changes: changes.value } : null;
  },
  async (_, signal): Promise<Record<string, string>> => {
    type Answer = { settings?: { name: string; value?: string }[] };
    const { message } = await call<Answer>("Get", {}, signal);
    const ours = (message.settings ?? []).filter(({ name }) => name.startsWith(PREFIX));
    return Object.fromEntries(ours.map(({ name, value = "" }) => [name.slice(PREFIX.length), value]));
  },
);

/** Gives a setting its value for all; without a value it is taken away. Fails as the API does. */
export async function changeSetting(name: string, value: string): Promise<void> {
  if (value === "") await call("Delete", { name: PREFIX + name }, null);
  else await call("Set", { setting: { name: PREFIX + name, value } }, null);
  changes.value++;
}

function call<T>(method: "Get" | "Set" | "Delete", message: object, signal: AbortSignal | null) {
  return askConnect<T>(`settings.v1.SettingsService/${method}`, message, signal);
}
