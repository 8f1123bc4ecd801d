/** /explore: one service, one type, a range. Loads its timeline and its merged profile. */
import { computed, signal, untracked } from "@preact/signals";
import type { Links } from "../../api.ts";
import { core } from "../../core/index.ts";
import { describeProfiles } from "../../format/facts.ts";
import { isGauge, typeLabel } from "../../format/type.ts";
import { formatMillis, plural } from "../../format/value.ts";
import { drawnSeries } from "../../time/drawn.ts";
import { datedSpanLabel, type Span } from "../../time/range.ts";
import type { Split } from "../../time/seriessplit.ts";
import { drawing } from "../profile/draw.ts";
import { clear, show } from "../profile/shown.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute, go, route, serviceRoute } from "../url/router.ts";
import { describeRead, openMerged, typedTimeline } from "./merged.ts";
import { apart, placeOf } from "./place.ts";
import { matcherLabel, selector } from "./selector.ts";
import { offered, otherServices, services, span } from "./services.ts";

interface ExploreQuery extends Span {
  place: string;
  query: string;
  /** When it is asked: a refresh is another query, of the same subject. */
  at: number;
  subject: string;
}

/** Whose samples the merged profile is made of; null for all. A bucket and a bundle do not tell spans apart. */
export const links = computed((): Links | null => {
  const { spans, traces } = exploreRoute.value;
  if (placeOf("base") !== "" || spans.length + traces.length === 0) return null;
  return spans.length > 0 ? { of: "span", ids: spans } : { of: "trace", ids: traces };
});

/** What this page shows; null on other pages. */
const timelineQuery = computed((): ExploreQuery | null => {
  const { service, type, base } = exploreRoute.value;
  if (!service || !type) return null;
  const query = type + selector(service, base.filters);
  const place = placeOf("base");
  return { place, query, ...span.value, at: clock.value, subject: `${place} ${query} ${base.from} ${base.until}` };
});

export const timeline = resource(
  "read the timeline",
  () => timelineQuery.value,
  ({ place, query, from, until }, signal) => typedTimeline(place, query, { from, until }, signal),
  ({ subject }) => subject,
);

/** The timeline that was loaded last. It stays while the next one is loaded. */
const loadedTimeline = computed(() => timeline.value.value);
/** The same by the values of a label, where the link asks for that. Who finds them is fetched after the timeline. */
export const split = signal<Split | null>(null);
/** The timeline as it is drawn. */
export const series = computed(
  () =>
    split.value?.series ??
    (loadedTimeline.value && drawnSeries(loadedTimeline.value, isGauge(loadedTimeline.value.type))),
);

/** What a chart below the timeline shows: the same time as that, or the part of it that is chosen. */
export function chartSpan(): Span {
  const { window } = exploreRoute.value;
  const drawn = series.value;
  if (window || !drawn) return window ?? span.value;
  return { from: drawn.start, until: drawn.start + drawn.step * drawn.values.length };
}

interface ProfileQuery extends ExploreQuery {
  links: Links | null;
}

/** As text, so that equal values are equal. */
const profileQuery = computed(() => {
  const whole = timelineQuery.value;
  const { window, panel } = exploreRoute.value;
  if (panel !== "profile" || !whole) return "null";
  const subject = `${whole.subject} ${JSON.stringify([window, links.value])}`;
  const query: ProfileQuery = { ...whole, ...window, links: links.value, subject };
  return JSON.stringify(query);
});

/** Whether a panel is in place of the merged profile. */
const hidden = computed(() => exploreRoute.value.panel !== "profile");

/** Runs again whenever what it reads changes. */
export function loadExplore(): void {
  const query = JSON.parse(profileQuery.value) as ProfileQuery | null;
  if (query) void untracked(() => load(query));
  // Keys and exports do not act on a picture that is not seen.
  else if (hidden.value) untracked(clear);
}

function load({ place, query, from, until, links, subject }: ProfileQuery): Promise<void> {
  return show(
    "read the profile",
    async (progress) => {
      const opened = await openMerged(place, query, { from, until }, progress, "", links);
      if (!opened) return { state: "empty" };
      progress.stage("drawing");
      const { type, service, base } = exploreRoute.peek();
      const division = isGauge(type) ? { by: opened.profiles } : undefined;
      const drawable = { profile: opened.profile, type: opened.type, division };
      const draw = drawing(drawable);
      const [drawn, unnamed] = await Promise.all([draw(), place === "" ? withoutNames(opened.profile) : []]);
      return {
        state: "ready",
        ...drawn,
        draw,
        subject: drawable,
        title: [
          service,
          typeLabel(type),
          ...(links ? [linksLabel(links)] : []),
          ...base.filters.map(matcherLabel),
          datedSpanLabel({ from, until }),
        ].join(" · "),
        facts: [describeProfiles(opened.profiles, type), describeRead(opened.read), formatMillis(opened.millis)],
        warnings: [...opened.warnings, ...unnamed],
        exported: opened.profile,
      };
    },
    subject,
  );
}

/** What is said of a profile that has addresses without names. */
export async function withoutNames(profile: number): Promise<string[]> {
  const modules = await core.unnamed(profile);
  if (modules.length === 0) return [];
  return [
    `Addresses in ${modules.join(", ")} are unresolved. Drop the binary or its debug file here to resolve them for everyone.`,
  ];
}

/** "span 00f067aa0ba902b7", "3 traces". */
export function linksLabel({ of, ids }: Links): string {
  return ids.length === 1 ? `${of} ${ids[0]}` : plural(ids.length, of);
}

/**
 * A link without service or type shows the first there is, of two places the first that both have; a service without the type
 * shows another of its types.
 */
export function chooseDefaults(): void {
  const { page } = route.value;
  if (page !== "explore" && page !== "diff") return;
  const { service, type } = serviceRoute.value;
  const asked = [services, ...(page === "diff" && apart.value ? [otherServices] : [])];
  const found = offered.value;
  if (asked.some(({ value }) => value.state !== "ready") || found.length === 0) return;
  const chosen = service ? found.find(({ name }) => name === service) : found[0];
  if (!chosen) {
    // A service named by the link, with no data in this range: say so instead of showing another one.
    if (!type) clear();
    return;
  }
  if (!service || !type) go({ service: chosen.name, type: type || (chosen.types[0] ?? "") }, "replace");
}
