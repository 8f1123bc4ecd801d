import { fixed, resolve } from "../../time/range.ts";
import { clock } from "./clock.ts";
import { href, urlState } from "./router.ts";
import type { Side } from "./urlstate.ts";

/** A link that still shows this tomorrow: "the last hour" becomes the hour it is now. */
export function fixedLink(): string {
  const at = urlState.peek();
  const pin = (side: Side): Side => ({ ...side, ...fixed(resolve(side, clock.peek())) });
  return href({ ...at, base: pin(at.base), other: pin(at.other) });
}
