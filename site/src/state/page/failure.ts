/** Failures that no part of the page shows itself: a notice for the person, the error for the console. */
import { problemOf } from "../problem.ts";
import { notify } from "./notice.ts";

/** Two sentences take longer to read than "Copied the link". */
const READING_MILLIS = 8000;

/** `doing` completes "Could not …". */
export function reportFailure(failure: unknown, doing: string): void {
  console.error(failure);
  notifyFailure(failure, doing);
}

/** Of what nothing else has caught. The browser writes it to the console by itself. */
export function reportUncaught(): void {
  addEventListener("unhandledrejection", ({ reason }) => notifyFailure(reason, "do this"));
  // What the browser itself complains of, resize loops for one, has no error.
  addEventListener("error", ({ error }) => error && notifyFailure(error, "do this"));
}

function notifyFailure(failure: unknown, doing: string): void {
  const { title, meaning } = problemOf(failure, doing);
  notify(`${title}. ${meaning}`, READING_MILLIS);
}
