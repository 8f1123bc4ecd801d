/** The profiles that people of this tenant have put on the server for some days. */
import { computed, signal } from "@preact/signals";
import { askServer } from "../api.ts";
import { ApiError, noServer } from "../apierror.ts";
import { notify } from "./page/notice.ts";
import { token } from "./page/token.ts";
import { placeOf } from "./query/place.ts";
import { resource } from "./resource.ts";
import { route } from "./url/router.ts";

export interface Share {
  id: string;
  name: string;
  /** Bytes. */
  size: number;
  /** Unix milliseconds. */
  created: number;
  expires: number;
}

interface Page {
  shares: Share[];
  /** What the next page comes after; null on the last. */
  next: string | null;
}

/** Those that are chosen to be opened together, by their ids, in the order in which they were chosen. */
export const chosen = signal<string[]>([]);
/** Pages beyond the first, as far as they were asked for. */
const further = signal<Page[]>([]);
/** How often the list was asked for again. */
const times = signal(0);

const first = resource(
  "list the shared profiles",
  () => {
    const at = route.value;
    const seen = placeOf("base") === "" && (at.page === "home" || (at.page === "file" && at.shares.length === 0));
    return seen ? { times: times.value, token: token.value } : null;
  },
  (_, signal) => page("", signal),
);

export const shares = computed(() => {
  const { state, value, problem } = first.value;
  const pages = value ? [value, ...further.value] : [];
  const next = pages.at(-1)?.next ?? null;
  return { state, problem, next, list: pages.flatMap((page) => page.shares) };
});

/** Asks for the next page. */
export async function more(): Promise<void> {
  const { next } = shares.peek();
  if (!next) return;
  const loaded = await page(next, null);
  // Unless it came twice.
  if (shares.peek().next === next) further.value = [...further.peek(), loaded];
}

/** Takes a share back: its link opens nothing any more. */
export async function remove({ id, name }: Share): Promise<void> {
  await askServer(`shares/${id}`, {}, null, { method: "DELETE" });
  chosen.value = chosen.peek().filter((other) => other !== id);
  further.value = [];
  times.value++;
  notify(`Deleted ${name}`);
}

async function page(after: string, signal: AbortSignal | null): Promise<Page> {
  try {
    const response = await askServer("shares", after ? { after } : {}, signal);
    // A static host may answer any path with its index page.
    if (!response.headers.get("content-type")?.startsWith("application/json")) throw noServer();
    return (await response.json()) as Page;
  } catch (failure) {
    // Where there is no server, nothing is shared.
    if (failure instanceof ApiError && failure.kind === "absent") return { shares: [], next: null };
    throw failure;
  }
}
