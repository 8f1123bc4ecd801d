/** Tracks pending work. */
import { effect, signal } from "@preact/signals";

const pending = signal(0);

/**
 * While no work is pending, the element has the attribute `data-settled`, for browser automation. A hidden tab draws no frames
 * and never gets it.
 */
export function showSettled(element: HTMLElement): void {
  effect(() => {
    element.removeAttribute("data-settled");
    if (pending.value > 0) return;
    const stop = new AbortController();
    const look = () => stop.signal.aborted || element.setAttribute("data-settled", "");
    // Results are drawn in the next frame, and their effects run after it and may begin more work: so two frames and a task.
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(look)));
    return () => stop.abort();
  });
}

/** Counts work whose result the page will show. Call the returned function once, when it ends. */
export function beginWork(): () => void {
  pending.value = pending.peek() + 1;
  return () => {
    pending.value = pending.peek() - 1;
  };
}

/** The same for a promise. */
export function trackWork<T>(work: Promise<T>): Promise<T> {
  return work.finally(beginWork());
}

/** Runs the last of several calls, after a pause. */
export class Debounce {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end = () => {};

  /** Runs this after so many milliseconds, in place of what was set before. */
  set(work: () => void, millis: number): void {
    const end = beginWork();
    this.clear();
    this.#end = end;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      try {
        work();
      } finally {
        end();
      }
    }, millis);
  }

  /** Whether a call is waiting. */
  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /** Drops the waiting call. */
  clear(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#end();
  }
}
