/** The token by which the server knows this browser. It is kept in this browser, for this origin, and sent nowhere else. */
import { signal } from "@preact/signals";
import { refresh, userRequests } from "../url/clock.ts";
import { store, stored } from "./storage.ts";

const KEY = "pilotlight-token";

/** Empty when there is none. */
export const token = signal(stored(KEY) ?? "");

/** Whether the person is asked for a token: because there is none, or because the server does not take the one there is. */
export const asked = signal<"no" | "missing" | "wrong">("no");

/** How often the person had asked the server when they closed the dialog; null when they have not. */
const dismissedAfter = signal<number | null>(null);

/**
 * Closes the dialog until the person tries again, picks a range, starts an action or opens another page. Responses that are on
 * their way do not open it again.
 */
export function dismiss(): void {
  asked.value = "no";
  dismissedAfter.value = userRequests.peek();
}

/** Takes a token from the person, and asks the server again. */
export function giveToken(text: string): void {
  token.value = text;
  asked.value = "no";
  store(KEY, text);
  refresh();
}

/** Forgets the token, and with a fresh page all that was read with it. */
export function forgetToken(): void {
  store(KEY, null);
  location.reload();
}

/** The headers that show a token. */
export function authorization(text: string): Record<string, string> {
  return text === "" ? {} : { authorization: `Bearer ${text}` };
}

/** The server wants a token, or another one than `sent`. An answer to an older token asks nothing. */
export function askForToken(sent: string): void {
  if (sent === token.peek() && userRequests.peek() !== dismissedAfter.peek())
    asked.value = sent === "" ? "missing" : "wrong";
}
