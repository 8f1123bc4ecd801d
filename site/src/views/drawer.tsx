import { Icon } from "../components/controls/icon.tsx";
import { linkTo } from "../components/controls/link.ts";
import { ProblemNote } from "../components/status/problemnote.tsx";
import { type DiffValues, NONE, type NodeDetail, ROOT } from "../core/types.ts";
import type { Occurrence } from "../core/viewer.ts";
import { baseName } from "../flame/framelabel.ts";
import { definedAt } from "../format/functionplace.ts";
import { change, grouped, percent } from "../format/number.ts";
import { totalWord } from "../format/total.ts";
import { formatDelta, formatExact, formatValue, plural, unitOf } from "../format/value.ts";
import { copyText } from "../state/page/clipboard.ts";
import { drawerOpen, drawerSide } from "../state/profile/draweropen.ts";
import { nextOccurrence, select, selectedDetail, tree, visitNode } from "../state/profile/focus.ts";
import { seenView } from "../state/profile/offeredviews.ts";
import { isShown } from "../state/profile/shown.ts";
import { group, sandwichOf, stepOn, takesSteps } from "../state/profile/stepchanges.ts";
import { placeOf } from "../state/query/place.ts";
import { exploreRoute, go, route } from "../state/url/router.ts";
import { ACTIONS, recordFrame, zoomHere } from "./frameactions.ts";

/** Callers that are listed: a stack of thousands takes longer to lay out than anyone reads. */
const NEAREST = 200;

/** Everything about the selected frame. */
export function Drawer() {
  const { value: shown, problem } = selectedDetail.value;
  const info = tree.value;
  if (!drawerOpen.value || !info) return null;
  if (problem && isShown(info.id)) {
    return (
      <aside class="drawer" aria-label="Selected frame">
        <ProblemNote problem={problem} />
      </aside>
    );
  }
  if (!shown) return null;
  const { detail, children, occurrence } = shown;
  const unit = unitOf(info);
  const place = definedAt(detail);
  const all = detail.occurrences > 1 && <AllFacts detail={detail} unit={unit} whole={info.total} />;
  // A node of the call graph is a function, wherever it occurs.
  const graph = seenView.value === "graph";
  const words = info.inverted ? UPSIDE_DOWN : UPRIGHT;
  // Upside down, all of the profile is nothing that a leaf calls.
  const way = info.inverted ? detail.path.slice(1) : detail.path;
  return (
    <aside
      class={`drawer ${drawerSide.value}`}
      aria-label="Selected frame"
      data-testid="drawer"
      data-node={detail.node}
    >
      <div class="drawer-head">
        <h2 data-testid="drawer-name">{detail.name}</h2>
        <button type="button" class="control icon-only" title="Close (Esc)" onClick={() => void select(NONE)}>
          <Icon name="close" />
        </button>
      </div>
      {place && (
        <p class="drawer-file" data-testid="drawer-file">
          {place}
        </p>
      )}
      {graph && all}
      {occurrence.count > 1 && <Occurrences {...occurrence} />}
      {detail.diff ? (
        <DiffFacts diff={detail.diff} unit={unit} inverted={info.inverted} />
      ) : (
        <Facts detail={detail} unit={unit} inverted={info.inverted} />
      )}
      {!graph && all}
      <div class="drawer-actions">
        <button type="button" class="control" data-testid="zoom-here" onClick={() => zoomHere(detail.node)}>
          <Icon name="zoom" /> Zoom
        </button>
        <button type="button" class="control" onClick={() => go({ search: detail.name })}>
          <Icon name="search" /> Search
        </button>
        <button type="button" class="control" onClick={() => void copyText(detail.name, "the name")}>
          <Icon name="copy" /> Copy
        </button>
        {detail.node !== ROOT && <StepActions {...detail} />}
      </div>
      <h3>Call path</h3>
      <ol class="frames callers">
        {way
          .slice(0, -1)
          .reverse()
          .slice(0, NEAREST)
          .map(({ node, name }) => (
            <li key={node}>
              <FrameLink node={node} name={name} />
            </li>
          ))}
        {way.length < 2 && <li class="hint">{words.noOuter}</li>}
        {way.length - 1 > NEAREST && (
          <li class="hint">
            {plural(way.length - 1 - NEAREST, `${words.further} is`, `${words.further}s are`)} not listed.
          </li>
        )}
      </ol>
      <h3 data-testid="drawer-inner">{innerHeading(words.inner, detail)}</h3>
      <ol class="frames callees">
        {children.largest.map((child) => (
          <li key={child.node} data-node={child.node}>
            <FrameLink node={child.node} name={child.name} />
            <span class="num" title={formatExact(child.total_exact, unit)}>
              {child.diff
                ? change(child.diff.base_total, child.diff.comparison_total)
                : percent(child.total / (detail.total || 1))}
            </span>
          </li>
        ))}
        {children.count === 0 && <li class="hint">{words.noInner}</li>}
        {children.count > children.largest.length && (
          <li class="hint">
            {plural(children.count - children.largest.length, `${words.smaller} is`, `${words.smaller}s are`)} not
            listed.
          </li>
        )}
      </ol>
    </aside>
  );
}

/** Only callees of the frame itself are listed, which says little of a function that occurs elsewhere too. */
function innerHeading(inner: string, { occurrences, diff }: NodeDetail): string {
  if (occurrences > 1) return `${inner} of this occurrence${diff ? "" : " (shares of it)"}`;
  return diff ? inner : `${inner} (shares of this ${group.value})`;
}

/** What can be done with the functions of a name. */
function StepActions({ name, path }: Pick<NodeDetail, "name" | "path">) {
  return (
    <>
      {takesSteps.value &&
        ACTIONS.map(({ verb, label, title }) => (
          <button
            type="button"
            class="control"
            key={verb}
            title={title}
            data-testid={`${verb}-frame`}
            onClick={() => stepOn(verb, name)}
          >
            {label}
          </button>
        ))}
      <button
        type="button"
        class="control"
        title="Callers and callees (b)"
        data-testid="sandwich-frame"
        onClick={() => sandwichOf(name)}
      >
        Sandwich
      </button>
      {route.value.page === "explore" && placeOf("base") === "" && group.value === "function" && (
        <>
          <FunctionLink name={name} />
          <button type="button" class="control" data-testid="record-frame" onClick={() => recordFrame(name, path)}>
            Record as a metric…
          </button>
        </>
      )}
    </>
  );
}

/** To the function over time and in all services. */
function FunctionLink({ name }: { name: string }) {
  const target = { ...exploreRoute.value, panel: "function", func: name } as const;
  return (
    <a
      class="control"
      {...linkTo(target)}
      title="This function over time, and in all services"
      data-testid="function-link"
    >
      Function
    </a>
  );
}

/** Which of the frames of this function is described, and the way to the others. */
function Occurrences({ position, count }: Occurrence) {
  return (
    <fieldset class="occurrences" aria-label={`Occurrences of this ${group.value}`}>
      Occurrence
      <button
        type="button"
        class="control icon-only"
        title="Previous occurrence (Shift+O)"
        data-testid="occurrence-previous"
        onClick={() => void nextOccurrence(-1)}
      >
        ‹
      </button>
      <span data-testid="occurrence">
        {grouped(String(position))} of {grouped(String(count))}
      </span>
      <button
        type="button"
        class="control icon-only"
        title="Next occurrence (O)"
        data-testid="occurrence-next"
        onClick={() => void nextOccurrence(1)}
      >
        ›
      </button>
    </fieldset>
  );
}

/** Words for the frames on the call path, the nearest first, and for those beyond the frame. */
const UPRIGHT = {
  noOuter: "No callers.",
  further: "outer caller",
  inner: "Callees",
  noInner: "No callees.",
  smaller: "smaller callee",
};
/** There, a frame's part of its function is what ends below it, which no self value says. */
const UPSIDE_DOWN = {
  noOuter: "No callees.",
  further: "further callee",
  inner: "Callers",
  noInner: "No callers.",
  smaller: "smaller caller",
};

function FrameLink({ node, name }: { node: number; name: string }) {
  return (
    <button type="button" class="link" title={name} onClick={() => void select(node).then(() => visitNode(node))}>
      {baseName(name)}
    </button>
  );
}

function Facts({ detail, unit, inverted }: { detail: NodeDetail; unit: string; inverted: boolean }) {
  return (
    <table class="facts">
      <tbody>
        <tr title={formatExact(detail.total_exact, unit)}>
          <th scope="row">{totalWord(detail.start)}</th>
          <td data-testid="drawer-total">{formatValue(detail.total, unit)}</td>
          <td>{percent(detail.fraction)}</td>
        </tr>
        {!inverted && (
          <tr title={formatExact(detail.self_exact, unit)}>
            <th scope="row">self</th>
            <td data-testid="drawer-self">{formatValue(detail.self, unit)}</td>
            <td>{percent(detail.self_fraction)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** The function wherever it occurs. */
function AllFacts({ detail, unit, whole }: { detail: NodeDetail; unit: string; whole: number }) {
  const { occurrences, function_total, function_self, function_diff } = detail;
  const title = `All ${occurrences} occurrences`;
  if (function_diff) return <DiffFacts diff={function_diff} unit={unit} title={title} testid="drawer-all" />;
  const row = (name: string, value: number) => (
    <tr>
      <th scope="row">{name}</th>
      <td>{formatValue(value, unit)}</td>
      <td>{percent(value / (whole || 1))}</td>
    </tr>
  );
  return (
    <table
      class="facts"
      title={`The ${group.value} occurs ${occurrences} times in this tree; recursion is counted once`}
      data-testid="drawer-all"
    >
      <tbody>
        <tr>
          <th scope="rowgroup" colSpan={3}>
            {title}
          </th>
        </tr>
        {row("total", function_total)}
        {row("self", function_self)}
      </tbody>
    </table>
  );
}

function DiffFacts(props: { diff: DiffValues; unit: string; inverted?: boolean; title?: string; testid?: string }) {
  const { diff, unit, inverted = false, title, testid } = props;
  const row = (name: string, before: number, after: number) => (
    <tr>
      <th scope="row">{name}</th>
      <td>{formatValue(before, unit)}</td>
      <td>{formatValue(after, unit)}</td>
      <td title={change(before, after)}>{formatDelta(after - before, unit)}</td>
    </tr>
  );
  return (
    <table class="facts" data-testid={testid}>
      <thead>
        {title && (
          <tr>
            <th scope="colgroup" colSpan={4}>
              {title}
            </th>
          </tr>
        )}
        <tr>
          <td />
          <th scope="col">baseline</th>
          <th scope="col">comparison</th>
          <th scope="col">change</th>
        </tr>
      </thead>
      <tbody>
        {row("total", diff.base_total, diff.comparison_total)}
        {!inverted && row("self", diff.base_self, diff.comparison_self)}
      </tbody>
      {title === undefined && diff.state !== "same" && (
        <caption>{diff.state === "new" ? "Only in the comparison." : "Only in the baseline."}</caption>
      )}
    </table>
  );
}
