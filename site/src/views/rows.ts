/** Rows of equal height in a place that scrolls: only those in view are made. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

export const ROW_HEIGHT = 28;
/** Rows made above and below what is seen. */
const SPARE = 4;

export interface Seen {
  top: number;
  height: number;
}

/** What is seen of an element's content, as it scrolls. */
export function useSeen(scroller: RefObject<HTMLElement | null>): ReadonlySignal<Seen> {
  const seen = useSignal({ top: 0, height: 600 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => (seen.value = { top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => observer.disconnect();
  }, []);
  return seen;
}

export function rowsIn({ top, height }: Seen, count: number): { first: number; last: number } {
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE);
  return { first, last: Math.min(count, Math.ceil((top + height) / ROW_HEIGHT) + SPARE) };
}
