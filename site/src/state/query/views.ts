/** Saving views, and deleting them. */

import { formatRoute, type Route } from "../url/route.ts";
import { PREFIX, viewsOf } from "../url/savedview.ts";
import { changeSetting, readSettings } from "./settings.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Saves what is seen, and gives its id. Relative times stay relative. A name is used once. */
export async function saveView(name: string, target: Route): Promise<string> {
  if (viewsOf(await readSettings(null)).some((view) => view.name === name))
    throw new Error(`A view named “${name}” exists.`);
  const random = crypto.getRandomValues(new Uint32Array(6));
  const id = [...random].map((number) => LETTERS[number % LETTERS.length]).join("");
  await changeSetting(PREFIX + id, JSON.stringify({ name, path: formatRoute(target), saved: Date.now() }));
  return id;
}

export async function deleteView(id: string): Promise<void> {
  await changeSetting(PREFIX + id, "");
}
