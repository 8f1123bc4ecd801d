/**
 * The places that the pages ask: the server, a bucket, or a bundle. The address of the page may name one (`bucket`), and
 * another for the comparison's side (`bucket2`), which is then of both places. Without a name it is the bundle that the site
 * came with, or else the server.
 */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { base } from "../../base.ts";
import { trackWork } from "../../settled.ts";
import type { Span } from "../../time/range.ts";

/** Places as they are written in the address of the page: relative to it, or absolute. Empty is the server. */
export interface Places {
  base: string;
  /** Null where both sides are of one place. */
  other: string | null;
}

const link = document.querySelector<HTMLLinkElement>('link[rel="pilotlight-bundle"]');
/** The bundle that the site came with. */
const own = link?.getAttribute("href") ?? "";
/** Whether the site is a bundle: its pages are told of one, and cannot be put around another. */
export const withBundle: boolean = link !== null;

const current = signal(read());
export const places: ReadonlySignal<Places> = current;

/** Whether the sides of a comparison are of two places. */
export const apart = computed(() => current.value.other !== null);

/** What a side asks: an absolute address; empty for the server. */
export function placeOf(side: keyof Places): string {
  const { base, other } = current.value;
  return absolute(side === "other" && other !== null ? other : base);
}

/** Takes the places of the address of the page, or those that are given. */
export function setPlaces(next = read()): void {
  const { base, other } = current.peek();
  if (next.base !== base || next.other !== other) current.value = next;
}

/** The places with their sides swapped. */
export function swapped(): Places {
  const { base, other } = current.peek();
  return other === null ? { base, other } : { base: other, other: base };
}

/** The address of a page: with the places that are named, and as the name of a file where any static host may serve it. */
export function withPlaces(address: string): string {
  const { base, other } = current.value;
  if (base === own && other === null && !link) return address;
  const url = new URL(address);
  const put = (name: string, place: string) => {
    // As the rest of the query, it stays readable.
    const text = encodeURIComponent(place).replace(/%(3A|2F|2C)/g, decodeURIComponent);
    url.search += `${url.search ? "&" : "?"}${name}=${text}`;
  };
  if (base !== own) put("bucket", base);
  if (other !== null) put("bucket2", other);
  if (link && !/(\/|\.html)$/.test(url.pathname)) url.pathname += ".html";
  return url.href;
}

function read(): Places {
  const params = new URLSearchParams(location.search);
  return { base: params.get("bucket") ?? own, other: params.get("bucket2") };
}

/** What is no address stays as it is, for the first question to say so. */
function absolute(place: string): string {
  return place !== "" && URL.canParse(place, base.href) ? new URL(place, base).href : place;
}

/** How long a bundle may take to say its times, milliseconds. */
const LONGEST_WAIT = 5_000;

/** When the profiles of bundles begin and end. */
const spans = new Map<string, Span | null>();
if (link) spans.set(absolute(own), spanOf({ from: Number(link.dataset.from), until: Number(link.dataset.until) }));

/** All the time of a side's bundle; null of what has no end. */
export function wholeSpan(side: keyof Places): Span | null {
  return spans.get(placeOf(side)) ?? null;
}

const unknown = () => [placeOf("base"), placeOf("other")].filter((place) => describes(place) && !spans.has(place));
const learned = signal(unknown().length === 0);
/**
 * Whether the times of the bundles that the address names are known. The ranges of an address without any depend on them, so
 * nothing is asked before.
 */
export const known: ReadonlySignal<boolean> = learned;

/** Reads the times of bundles that are not known; `then` runs together with what waits for them. */
export async function learnSpans(then: () => void): Promise<void> {
  await trackWork(Promise.all(unknown().map(async (place) => spans.set(place, await describedSpan(place)))));
  batch(() => {
    then();
    learned.value = true;
  });
}

function describes(place: string): boolean {
  return URL.canParse(place) && new URL(place).pathname.endsWith(".json");
}

/** What cannot be read has no span here. The first question says why. */
async function describedSpan(place: string): Promise<Span | null> {
  try {
    // The pages wait for it.
    const signal = AbortSignal.timeout(LONGEST_WAIT);
    const description = (await (await fetch(place, { cache: "no-cache", signal })).json()) as { made?: Partial<Span> };
    return spanOf(description.made ?? {});
  } catch {
    return null;
  }
}

function spanOf({ from, until }: Partial<Span>): Span | null {
  const whole = Number.isSafeInteger(from) && Number.isSafeInteger(until) && Number(from) < Number(until);
  return whole ? { from: Number(from), until: Number(until) } : null;
}
