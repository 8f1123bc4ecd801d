import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Dialog } from "../components/controls/dialog.tsx";
import { Icon } from "../components/controls/icon.tsx";
import { SHARE } from "../core/divided.ts";
import { core } from "../core/index.ts";
import type { TreeInfo } from "../core/types.ts";
import { percent } from "../format/number.ts";
import { formatValue } from "../format/value.ts";
import { copyText } from "../state/page/clipboard.ts";
import { reportFailure } from "../state/page/failure.ts";
import { type Ready, shown } from "../state/profile/shown.ts";
import { takenSteps } from "../state/profile/steps.ts";
import { fixedLink } from "../state/url/fixedlink.ts";
import { go, urlState } from "../state/url/router.ts";
import { ModelAnswer } from "./model.tsx";
import { describeChange, markdown, type Summary, summarise } from "./summary.ts";
import "../style/explain.css";

/** What the profile on the screen says, in words. It is made in the page, and sent to a model only if the person asks one. */
export function Explain({ close }: { close: () => void }) {
  const summary = useSignal<Summary | null>(null);
  useEffect(() => {
    const answer = shown.peek();
    if (answer.state !== "ready") return close();
    void summaryOf(answer).then(
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
      {(close) => made && <Told summary={made} close={close} />}
    </Dialog>
  );
}

/** From a tree of its own: searching the one on the screen would change what is marked there. */
async function summaryOf({ subject, draw, title, facts }: Ready): Promise<Summary | null> {
  const tree = subject
    ? await core.tree(subject.profile, subject.type, takenSteps.peek(), false, subject.division)
    : (await draw?.())?.tree;
  if (!tree) return null;
  try {
    return await summarise(tree, title, [...amount(tree), ...facts.slice(0, 1)].join(", "));
  } finally {
    void core.close(tree.id);
  }
}

/** What it is of. In a comparison of shares that is all on either side. */
function amount({ diff, total, unit }: TreeInfo): string[] {
  if (!diff) return [formatValue(total, unit)];
  if (unit === SHARE) return [];
  return [`${formatValue(diff.base, unit)} before`, `${formatValue(diff.comparison, unit)} after`];
}

function Told({ summary, close }: { summary: Summary; close: () => void }) {
  const { of, unit, self, covered, total, changed, patterns } = summary;
  const search = (name: string) => {
    close();
    go({ search: name });
  };
  return (
    <>
      <p>{of}</p>
      <Functions
        heading="Changed most"
        rows={changed.map((row) => ({ name: row.name, said: describeChange(row, unit) }))}
        search={search}
      />
      <Functions
        heading={`By themselves: these have ${percent(covered)}`}
        rows={self.map((row) => ({ name: row.name, said: percent(row.self_fraction) }))}
        search={search}
      />
      <Functions
        heading="With what they call"
        rows={total.map((row) => ({ name: row.name, said: percent(row.total_fraction) }))}
        search={search}
      />
      {patterns.length > 0 && (
        <section>
          <h3>Known patterns</h3>
          <ul class="explain-patterns" data-testid="explain-patterns">
            {patterns.map(({ pattern, fraction }) => (
              <li key={pattern.name}>
                <button type="button" class="link" onClick={() => search(`/${pattern.functions}/`)}>
                  {pattern.name}
                </button>{" "}
                <b>{percent(fraction)}</b>
                <p class="hint">{pattern.advice}</p>
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
        <span class="hint">Made by this page.{urlState.value.route === "file" && " Nothing was sent anywhere."}</span>
      </p>
    </>
  );
}

/** What is behind the # of /file is the profile itself. */
function linkHere(): string {
  return urlState.peek().route === "file" ? location.href.split("#")[0] : fixedLink();
}

function Functions(props: { heading: string; rows: { name: string; said: string }[]; search: (name: string) => void }) {
  const { heading, rows, search } = props;
  if (rows.length === 0) return null;
  return (
    <section>
      <h3>{heading}</h3>
      <ol class="explain-functions" data-testid="explain-functions">
        {rows.map(({ name, said }) => (
          <li key={name}>
            <button type="button" class="link" title={`Search for ${name}`} onClick={() => search(name)}>
              {name}
            </button>
            <span>{said}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
