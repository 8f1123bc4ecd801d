/**
 * Tracks pending work. While none is pending, `<html>` has the attribute `data-settled`, for browser automation. A hidden tab
 * draws no frames and never gets it.
 */
let pending = 0;
/** Counts begins and ends, so that only a rest without either is one. */
let changes = 0;
let top: HTMLElement | undefined;

/** Starts setting the attribute on this element. */
export function showSettled(element: HTMLElement): void {
  top = element;
  settleAfterDrawing();
}

/** Counts work whose result the page will show. Call the returned function once, when it ends. */
export function beginWork(): () => void {
  pending++;
  changes++;
  top?.removeAttribute("data-settled");
  return () => {
    pending--;
    settleAfterDrawing();
  };
}

/** The same for a promise. */
export function trackWork<T>(work: Promise<T>): Promise<T> {
  return work.finally(beginWork());
}

/** Results are drawn in the next frame, and their effects run after it and may begin more work: so two frames and a task. */
function settleAfterDrawing(): void {
  if (pending > 0 || !top) return;
  const before = ++changes;
  const look = () => before === changes && top?.setAttribute("data-settled", "");
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(look)));
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
