import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Dialog } from "../components/controls/dialog.tsx";
import { Icon } from "../components/controls/icon.tsx";
import { argumentOf, isFilter, timeAmong, verbOf } from "../core/steps.ts";
import type { TableRow } from "../core/types.ts";
import { namesakePlaces } from "../format/functionplace.ts";
import { percent } from "../format/number.ts";
import { spanLabel } from "../format/step.ts";
import { copyText } from "../state/page/clipboard.ts";
import { reportFailure } from "../state/page/failure.ts";
import { type Ready, shown } from "../state/profile/shown.ts";
import { addFirst } from "../state/profile/stepchanges.ts";
import { comparedTime } from "../state/url/comparedtime.ts";
import { fixedLink } from "../state/url/fixedlink.ts";
import { go, pictureRoute, route } from "../state/url/router.ts";
import { ModelAnswer } from "./modelanswer.tsx";
import {
  adviceOn,
  changedHeading,
  describeChange,
  describePattern,
  markdown,
  patternsHeading,
  type Summary,
  selfHeading,
  summarise,
  TOTAL,
} from "./summary.ts";
import "../style/explain.css";

/** What the profile on the screen says, in words. It is made in the page, and sent to a model only if the person asks one. */
export function Explain({ close }: { close: () => void }) {
  const summary = useSignal<Summary | null>(null);
  useEffect(() => {
    const answer = shown.peek();
    const summarising = answer.state === "ready" && summaryOf(answer);
    if (!summarising) return close();
    void summarising.then(
      (made) => (summary.value = made),
      (failure) => {
        close();
        reportFailure(failure, "explain the profile");
      },
    );
  }, []);
  const made = summary.value;
  return (
    <Dialog class="explain" title={made ? made.title : "Reading the profile"} testid="explain" onClose={close}>
      {(close) => made && <Sections summary={made} close={close} />}
    </Dialog>
  );
}

/** From trees of its own: a search in the one on the screen would change what is marked there. */
function summaryOf({ draw, title, facts }: Ready): Promise<Summary> | null {
  const filtered = filters().join(", ");
  const described = [...facts.slice(0, 1), ...comparedTimes(), ...(filtered ? [`filtered by ${filtered}`] : [])];
  return draw ? summarise(async (steps) => (await draw(steps)).tree, title, described) : null;
}

/** What a summary is of, where that isn't all: "focus ^gc$", `region="eu"`. */
function filters(): string[] {
  const { steps } = pictureRoute.peek();
  const time = timeAmong(steps);
  const at = route.peek();
  const labels = at.page === "explore" ? at.base.filters : [];
  return [
    ...labels,
    ...steps.filter(isFilter).map((step) => `${verbOf(step)} ${argumentOf(step)}`),
    ...(time && comparedTimes().length === 0 ? [`time ${spanLabel(time)}`] : []),
  ];
}

/** Which parts of the time are compared, if they are. */
function comparedTimes(): string[] {
  const [first, against] = [timeAmong(pictureRoute.peek().steps), comparedTime.peek()];
  return first && against ? [`times ${spanLabel(first)} and ${spanLabel(against)}`] : [];
}

function Sections({ summary, close }: { summary: Summary; close: () => void }) {
  const { of, unit, all, self, covered, total, changed, patterns } = summary;
  const search = (name: string) => {
    close();
    go({ search: name });
  };
  const narrow = (steps: string[]) => {
    close();
    addFirst(steps);
  };
  return (
    <>
      <p>{of}</p>
      <Functions
        heading={changedHeading(unit)}
        rows={changed}
        say={(row) => describeChange(row, unit)}
        search={search}
      />
      <Functions heading={selfHeading(covered)} rows={self} say={(row) => percent(row.self_fraction)} search={search} />
      <Functions heading={TOTAL} rows={total} say={(row) => percent(row.total_fraction)} search={search} />
      {patterns.length > 0 && (
        <section>
          <h3>{patternsHeading(patterns)}</h3>
          <ul class="explain-patterns" data-testid="explain-patterns">
            {patterns.map((found) => (
              <li key={found.rule.name}>
                <button type="button" class="link" title="Show only these stacks" onClick={() => narrow(found.steps)}>
                  {found.rule.name}
                </button>{" "}
                <b>{describePattern(found, all)}</b>
                <p class="hint">{adviceOn(found)}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
      <ModelAnswer summary={summary} />
      <p class="explain-actions">
        <button
          type="button"
          class="control primary"
          data-testid="explain-copy"
          onClick={() => void copyText(markdown(summary, linkHere()), "the summary as Markdown")}
        >
          <Icon name="copy" /> Copy as Markdown
        </button>
        <span class="hint">Generated in this tab.{route.value.page === "file" && " Nothing was sent anywhere."}</span>
      </p>
    </>
  );
}

/** What is behind the # of /file is the profile itself. */
function linkHere(): string {
  return route.peek().page === "file" ? location.href.split("#")[0] : fixedLink();
}

function Functions(props: {
  heading: string;
  rows: TableRow[];
  say: (row: TableRow) => string;
  search: (name: string) => void;
}) {
  const { heading, rows, say, search } = props;
  if (rows.length === 0) return null;
  const placeOf = namesakePlaces(rows);
  return (
    <section>
      <h3>{heading}</h3>
      <ol class="explain-functions" data-testid="explain-functions">
        {rows.map((row) => (
          <li key={row.func}>
            <button type="button" class="link" title={`Search for ${row.name}`} onClick={() => search(row.name)}>
              <bdi dir="ltr">{row.name}</bdi>
            </button>
            {placeOf(row) && <small class="soft">{placeOf(row)}</small>}
            <span>{say(row)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
