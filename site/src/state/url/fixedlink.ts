import { fixed, resolve } from "../../time/range.ts";
import { clock } from "./clock.ts";
import { href, route } from "./router.ts";
import type { Side } from "./values.ts";

/** A link that still shows this tomorrow: "the last hour" becomes the hour it is now. */
export function fixedLink(): string {
  const at = route.peek();
  const pin = (side: Side): Side => ({ ...side, ...fixed(resolve(side, clock.peek())) });
  if (!("base" in at)) return href(at);
  if (at.page === "diff") return href({ ...at, base: pin(at.base), other: pin(at.other) });
  return href({ ...at, base: pin(at.base) });
}
