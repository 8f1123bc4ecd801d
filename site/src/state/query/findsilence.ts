/** Finds for how long services have had no profiles, of a range that ends now. */
import { effect } from "@preact/signals";
import type { ServiceType } from "../../api.ts";
import { mayBeQuiet, quietMillis, type Silence } from "../../time/quiet.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { route } from "../url/router.ts";
import { placeOf } from "./place.ts";
import { changeKey } from "./servicechanges.ts";
import { services, sortedServices, span } from "./services.ts";
import { silences } from "./silence.ts";

/** `latest` has the last two steps in shorter ones, and this long at least, in steps of a minute. */
const STEPS = 2;
const LEAST = 3_600_000;
const MINUTE = 60_000;

/** Whether a page is seen that says it, of a range that ends now. */
function isSaid(): boolean {
  const at = route.value;
  const isSeen = at.page === "home" || (at.page === "explore" && at.panel === "types");
  return isSeen && at.base.until === "now";
}

/** Asked only where steps are so long that profiles may have come in the last one or not. */
const latest = resource(
  "list the latest profiles",
  () => {
    const { state, value = [] } = services.value;
    const { until } = span.value;
    const types = value.flatMap((service) => service.types);
    const isUnsure = types.some((type) => type.step > MINUTE && mayBeQuiet(type, until));
    if (state !== "ready" || !isSaid() || !isUnsure) return null;
    return { place: placeOf("base"), from: until - Math.max(LEAST, STEPS * types[0].step), until, at: clock.value };
  },
  sortedServices,
);

effect(() => {
  const { state, value = [] } = services.value;
  // Until it is known anew, what was known stays.
  if (state === "loading" || latest.value.state === "loading") return;
  silences.value = state === "ready" && isSaid() ? Object.fromEntries(value.flatMap(silencesOf)) : {};
});

function silencesOf({ name, types }: { name: string; types: ServiceType[] }): [string, Silence][] {
  const finer = latest.value.value?.find((service) => service.name === name)?.types;
  return types.flatMap((type): [string, Silence][] => {
    const own = finer?.find(({ id }) => id === type.id);
    const millis = quietMillis(type, span.value.until, own);
    return millis > 0 ? [[changeKey(name, type.id), { millis, step: (own ?? type).step }]] : [];
  });
}
