import { commits, fetchedSource } from "../../source/fetched.ts";
import { type Place, pageOf } from "../../source/places.ts";
import { formatMatcher } from "../../state/query/selector.ts";
import { exploreRoute, go } from "../../state/url/router.ts";

/** Where the source beside the lines is from, or why there is none. */
export function Origin({ file, line }: { file: string; line: number }) {
  const { state, value, problem } = fetchedSource.value;
  if (commits.value.length > 0) return <Commits refs={commits.value} />;
  if (problem) return <p class="hint">{`No source: ${problem.detail}`}</p>;
  if (state === "loading" && value?.file !== file) return <p class="hint">Fetching the source…</p>;
  if (!value || value.file !== file) return null;
  const { place, asked, mappingProblem } = value;
  return (
    <p class="hint" role="status" data-testid="source-origin">
      {place ? <Link place={place} line={line} /> : notFound(asked)}
      {mappingProblem && ` The mapping file is invalid: ${mappingProblem}`}
    </p>
  );
}

function Link({ place, line }: { place: Place; line: number }) {
  const page = pageOf(place, line);
  const name = `${place.path} at ${shortRef(place.ref)}`;
  const title = `${place.path} in ${place.repository} at ${place.ref}`;
  if (!page) return <span title={title}>{name}</span>;
  return (
    <a href={page} title={title} target="_blank" rel="noreferrer" data-testid="source-page">
      {name}
    </a>
  );
}

function notFound(asked: Place[]): string {
  const [first] = asked;
  if (!first) return "This file isn't part of the service; map it in a .pyroscope.yaml.";
  return `Not found in ${first.repository} at ${shortRef(first.ref)}: ${asked.map(({ path }) => path).join(", ")}.`;
}

/** A commit by its first digits. */
function shortRef(ref: string): string {
  return /^[0-9a-f]{40}$/.test(ref) ? ref.slice(0, 10) : ref;
}

function Commits({ refs }: { refs: string[] }) {
  return (
    <select
      class="control"
      aria-label="Source commit"
      data-testid="source-commits"
      onChange={({ currentTarget }) => {
        const { base } = exploreRoute.peek();
        const filter = formatMatcher({ name: "service_git_ref", op: "=", value: currentTarget.value });
        go({ base: { ...base, filters: [...base.filters, filter] } });
      }}
    >
      <option value="">Source of {refs.length} commits: choose…</option>
      {refs.map((ref) => (
        <option key={ref} value={ref}>
          {shortRef(ref)}
        </option>
      ))}
    </select>
  );
}
