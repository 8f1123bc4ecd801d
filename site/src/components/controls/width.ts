import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** An element, and how wide it is in pixels; 0 until that is known. */
export function useWidth(): { root: RefObject<HTMLDivElement | null>; width: Signal<number> } {
  const root = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    const observer = new ResizeObserver(() => (width.value = element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { root, width };
}
