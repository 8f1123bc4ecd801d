/** What places are called: by the end of their addresses. */
import type { SideName } from "../url/values.ts";
import { placeOf } from "./place.ts";

/** The name of a place; with the other place, long enough to tell them apart. */
export function placeName(place: string, other = ""): string {
  const [parts, others] = [partsOf(place), partsOf(other)];
  let taken = 1;
  while (taken < parts.length && parts.slice(-taken).join() === others.slice(-taken).join()) taken++;
  return parts.slice(-taken).join("/");
}

export function sidePlace(side: SideName): string {
  return placeName(placeOf(side), placeOf(side === "base" ? "other" : "base"));
}

/** The host and the folders of a place; a bundle is called by the folder it is in. */
function partsOf(place: string): string[] {
  if (place === "") return ["this server"];
  if (!URL.canParse(place)) return [place];
  const { host, pathname } = new URL(place);
  const folders = pathname
    .replace(/\/bundle\.json$/, "")
    .split("/")
    .map(decoded);
  return [host, ...folders.filter((part) => part !== "")];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
