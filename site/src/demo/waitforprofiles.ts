/** Looks for the first profile of a server that has none yet. */
import { signal } from "@preact/signals";
import { fetchServices } from "../api.ts";
import { filling } from "../state/page/demodata.ts";
import { widest } from "../state/query/sides.ts";
import { refreshAutomatically } from "../state/url/clock.ts";
import { go, homeRoute } from "../state/url/router.ts";
import { type Range, resolve } from "../time/range.ts";

/** Between two looks, milliseconds: at first, and after half an hour. */
const SHORTEST = 5_000;
const LONGEST = 30_000;
const HALF_AN_HOUR = 30 * 60_000;

/** Whether the server has no profile of any time that is offered; null until it is known, false when it can't be told. */
export const isEmpty = signal<boolean | null>(null);

/** Looks again and again while the page is visible, until there are profiles: then shows them. The returned function ends it. */
export function waitForProfiles(): () => void {
  const stop = new AbortController();
  const began = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    clearTimeout(timer);
    if ((await lookOnce()) || stop.signal.aborted) return;
    isLooking = false;
    const waited = Math.min((Date.now() - began) / HALF_AN_HOUR, 1);
    timer = setTimeout(look, SHORTEST + waited * (LONGEST - SHORTEST));
  };
  /** Whether there is nothing more to wait for. */
  const lookOnce = async (): Promise<boolean> => {
    const isFirst = isEmpty.peek() === null;
    if (!isFirst && (document.visibilityState === "hidden" || filling.peek() !== null)) return false;
    // A server that does not answer may do so the next time.
    const found = await hasProfiles(widest().range, stop.signal).catch(() => null);
    if (stop.signal.aborted) return true;
    // Only a change is an arrival: profiles outside of the range may have been there before.
    if (found && isEmpty.peek()) await show(stop.signal);
    else if (found !== null || isFirst) isEmpty.value = found === false;
    return found === true;
  };
  document.addEventListener("visibilitychange", () => void look(), { signal: stop.signal });
  isEmpty.value = null;
  void look();
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

async function hasProfiles(range: Range, signal: AbortSignal): Promise<boolean> {
  return (await fetchServices("", resolve(range, Date.now()), 1, signal)).services.length > 0;
}

/** In the range of the page, or in one that has them. */
async function show(signal: AbortSignal): Promise<void> {
  const { base } = homeRoute.peek();
  const isHere = await hasProfiles(base, signal).catch(() => true);
  if (signal.aborted) return;
  if (!isHere) go({ base: { ...base, ...widest().range } }, "replace");
  refreshAutomatically();
}
