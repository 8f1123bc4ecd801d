/** The bucket of a page that holds a bundle. */
import { embedded } from "./bundle.ts";

export const place: string = embedded ? "the bundle in this page" : "";

export const ownSpan: { from: number; until: number } | null = embedded?.description.made ?? null;

export function withPlace(address: string): string {
  return address;
}
