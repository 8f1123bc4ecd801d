/** Pins: time ranges whose profiles the server keeps beyond their retention. */
import { askServer, json } from "../../api.ts";
import type { Span } from "../../time/range.ts";

/** Milliseconds that one pin may have. */
export const LONGEST_PIN = 7 * 86_400_000;

export interface Pin extends Span {
  text: string;
}

export async function listPins(signal: AbortSignal): Promise<Pin[]> {
  return (await json<{ pins: Pin[] }>("pins", {}, signal)).pins;
}

export async function createPin(span: Span, text: string): Promise<void> {
  await askServer("pins", { ...millis(span), text }, null, { method: "POST" });
}

export async function deletePin(span: Span): Promise<void> {
  await askServer("pins", millis(span), null, { method: "DELETE" });
}

function millis({ from, until }: Span): Record<string, string> {
  return { from: String(Math.round(from)), until: String(Math.round(until)) };
}
