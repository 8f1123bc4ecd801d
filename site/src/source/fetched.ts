/** The source of the listed function, from the repository that the labels of its service name. */
import { computed, signal } from "@preact/signals";
import { fetchSource } from "../api.ts";
import { linesOf, listing } from "../state/profile/listing.ts";
import { placeOf } from "../state/query/place.ts";
import { parseMatcher } from "../state/query/selector.ts";
import { labels } from "../state/query/services.ts";
import { resource } from "../state/resource.ts";
import { exploreRoute, route } from "../state/url/router.ts";
import type { Mapping } from "./mapping.ts";
import { type Code, join, type Place, placesOf } from "./places.ts";

const MAPPING_FILE = ".pyroscope.yaml";
const [REPOSITORY, REF, ROOT] = ["service_repository", "service_git_ref", "service_root_path"];

/** Values of a label among what is seen. */
function valuesOf(name: string): string[] {
  for (const filter of exploreRoute.value.base.filters) {
    const matcher = parseMatcher(filter);
    if (matcher?.name === name && matcher.op === "=") return [matcher.value];
  }
  return labels.value.value?.[name]?.filter((value) => value !== "") ?? [];
}

/** Commits among which one has to be chosen, as lines of several are of different texts; empty where there are not several. */
export const commits = computed(() => {
  const refs = code.value === null ? [] : valuesOf(REF);
  return refs.length > 1 ? refs : [];
});

/** What the service runs; null if it names no repository. Without a commit it is the newest. */
const code = computed((): Code | null => {
  const [repository] = valuesOf(REPOSITORY);
  if (route.value.page !== "explore" || placeOf("base") !== "" || !repository) return null;
  return { repository, ref: valuesOf(REF)[0] ?? "HEAD", root: valuesOf(ROOT)[0] ?? "" };
});

interface Found {
  mappings: Mapping[];
  problem: string;
}

/** What was found for the code that was asked for last: every file of it is found by the same. It is there before what asks. */
const known = signal<{ code: string; found: Found } | null>(null);

export interface FetchedSource {
  file: string;
  /** Where it is; null if it is at none of the places that were looked at. */
  place: Place | null;
  lines: string[];
  asked: Place[];
  /** The mapping file makes no sense: why. */
  mappingProblem: string;
}

export const fetchedSource = resource(
  "fetch the source",
  () => {
    const listed = listing.value.value;
    if (!listed?.file || !code.value || commits.value.length > 0) return null;
    return { file: listed.file, name: listed.name, code: code.value };
  },
  async ({ file, name, code }, signal): Promise<FetchedSource> => {
    const { mappings, problem } = await mappingsOf(code, signal);
    const asked = placesOf({ file, name }, code, mappings);
    for (const place of asked) {
      const text = await fetchSource(place, signal);
      if (text === null) continue;
      return { file, place, lines: linesOf(text), asked, mappingProblem: problem };
    }
    return { file, place: null, lines: [], asked, mappingProblem: problem };
  },
  ({ file, code }) => JSON.stringify([file, code]),
  "dropped",
);

async function mappingsOf(code: Code, signal: AbortSignal): Promise<Found> {
  const key = JSON.stringify(code);
  const last = known.peek();
  if (last?.code === key) return last.found;
  const found = await findMappings(code, signal);
  known.value = { code: key, found };
  return found;
}

/** The mapping file, in the service's folder or at the top; there need not be one. */
async function findMappings({ repository, ref, root }: Code, signal: AbortSignal): Promise<Found> {
  for (const path of new Set([join(root, MAPPING_FILE), MAPPING_FILE])) {
    const text = await fetchSource({ repository, ref, path }, signal);
    if (text === null) continue;
    // Few repositories have one, and it takes a reader of YAML.
    const { parseMappings } = await import("./mapping.ts");
    try {
      return { mappings: parseMappings(text), problem: "" };
    } catch (failure) {
      return { mappings: [], problem: `${path}: ${failure instanceof Error ? failure.message : failure}` };
    }
  }
  return { mappings: [], problem: "" };
}
