/** When "now" was last read; relative ranges resolve against it, so that all parts of a screen agree. */
import { signal } from "@preact/signals";

export const clock = signal(Date.now());

/** How often the page refreshes by itself, seconds; 0 is never. */
export const refreshEvery = signal(0);

/** How often the person has asked the server for something, as with "Try again". The interval does not count. */
export const userRequests = signal(0);

/** The person asks the server for something. */
export function countUserRequest(): void {
  userRequests.value = userRequests.peek() + 1;
}

/** The person asks for what is new. */
export function refresh(): void {
  countUserRequest();
  refreshAutomatically();
}

/** The interval asks for what is new. */
export function refreshAutomatically(): void {
  clock.value = Date.now();
}
