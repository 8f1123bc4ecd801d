/** The language model of the server: it has one if its operator has set it. */
import { json, posted } from "../../api.ts";
import { route } from "../url/router.ts";
import { placeOf } from "./place.ts";

/** Its name; empty without one, and for what is not of this server: files stay on the machine of whoever opened them. */
export async function modelOf(signal: AbortSignal): Promise<string> {
  const { page } = route.peek();
  const places = page === "diff" ? (["base", "other"] as const) : (["base"] as const);
  if (page === "file" || places.some((side) => placeOf(side) !== "")) return "";
  const { model } = await json<{ model: string | null }>("explain", {}, signal);
  return model ?? "";
}

/** What it says of a text. */
export async function askModel(text: string): Promise<string> {
  return (await json<{ text: string }>("explain", {}, null, posted({ text }))).text;
}
