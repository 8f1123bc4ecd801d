import { useSignal } from "@preact/signals";
import { core } from "../../core/index.ts";
import { comparisonLabel, type LabelSides, labelOrder } from "../../state/query/labels.ts";
import { hasMatcher, type Matcher, matcherLabel, parseMatcher, withMatcher } from "../../state/query/selector.ts";
import type { Loaded } from "../../state/resource.ts";
import { Icon } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";
import { Select } from "../controls/select.tsx";
import { PatternForm } from "./patternform.tsx";

const OPERATORS: { value: Matcher["op"]; label: string }[] = [
  { value: "=", label: "is" },
  { value: "!=", label: "is not" },
  { value: "=~", label: "matches" },
  { value: "!~", label: "does not match" },
];

interface Comparison {
  label: string;
  choose: () => void;
}

/** Label filters as chips in order, each removable, and a way to add one. */
export function Filters(props: {
  filters: string[];
  /** What there is to filter by. */
  labels: Loaded<Record<string, string[]>>;
  testid: string;
  onChange: (filters: string[]) => void;
  /** Compares two values of a label; where that is possible. */
  compare?: (sides: LabelSides) => void;
  /** Those that are offered. */
  sides?: LabelSides[];
  /** Other comparisons that are offered beside those of labels. */
  comparisons?: Comparison[];
}) {
  const { filters, labels, testid, onChange, compare, sides = [], comparisons = [] } = props;
  return (
    <span class="filters" data-testid={testid}>
      {filters.map((filter, i) => (
        <button
          type="button"
          class="chip"
          key={`${i}${filter}`}
          title={`Remove the filter ${matcherLabel(filter)}`}
          onClick={() => onChange(filters.filter((_, at) => at !== i))}
        >
          <ChipText filter={filter} />
          <Icon name="close" />
        </button>
      ))}
      <Menu
        label={
          <>
            <Icon name="plus" />
            <span class="wide">filter</span>
          </>
        }
        title="Add a filter"
        class="control quiet"
        testid={`${testid}-add`}
      >
        {(close) => (
          <AddFilter
            filters={filters}
            labels={labels}
            compare={
              compare &&
              ((sides) => {
                close();
                compare(sides);
              })
            }
            sides={sides}
            comparisons={comparisons.map(({ label, choose }) => ({
              label,
              choose: () => {
                close();
                choose();
              },
            }))}
            onAdd={(matcher) => {
              close();
              onChange(withMatcher(filters, matcher));
            }}
          />
        )}
      </Menu>
    </span>
  );
}

/** Where there is little room the name of the label gives way before its value. */
function ChipText({ filter }: { filter: string }) {
  const [label, matcher] = [matcherLabel(filter), parseMatcher(filter)];
  if (!matcher) return <>{label}</>;
  const end = matcher.name.length + matcher.op.length;
  return (
    <>
      <span class="chip-name">{label.slice(0, end)}</span>
      <span class="chip-value">{label.slice(end)}</span>
    </>
  );
}

function AddFilter(props: {
  filters: string[];
  labels: Loaded<Record<string, string[]>>;
  onAdd: (matcher: Matcher) => void;
  compare?: (sides: LabelSides) => void;
  sides: LabelSides[];
  comparisons: Comparison[];
}) {
  const { filters, labels, onAdd, compare, sides, comparisons } = props;
  const known = labels.value ?? {};
  const names = labelOrder(known);
  const name = useSignal(names[0] ?? "");
  const op = useSignal<Matcher["op"]>("=");
  if (names.length === 0) {
    const { state, problem } = labels;
    if (problem) return <p class="hint">{`${problem.title}. ${problem.meaning}`}</p>;
    return (
      <p class="hint">
        {state === "loading" ? "Looking for labels…" : "The profiles in this range carry no labels to filter by."}
      </p>
    );
  }
  const chosen = names.includes(name.value) ? name.value : names[0];
  const matcher = (value: string): Matcher => ({ name: chosen, op: op.value, value });
  const pattern = op.value === "=~" || op.value === "!~";
  return (
    <div class="add-filter">
      <div class="row">
        <Select
          label="Label"
          value={chosen}
          options={names.map((value) => ({ value, label: value }))}
          onChange={(value) => (name.value = value)}
        />
        <Select
          label="Comparison"
          value={op.value}
          options={OPERATORS}
          onChange={(value) => (op.value = value as Matcher["op"])}
        />
      </div>
      {pattern ? (
        // An expression that the server would refuse does not get there.
        <PatternForm
          label="Regular expression"
          placeholder="eu-.*"
          testid="pattern"
          check={patternProblem}
          add={(value) => onAdd(matcher(value))}
        />
      ) : (
        <div class="menu-list">
          {known[chosen].map((value) => (
            <button
              type="button"
              key={value}
              disabled={hasMatcher(filters, matcher(value))}
              onClick={() => onAdd(matcher(value))}
            >
              {value || <i>empty</i>}
            </button>
          ))}
        </div>
      )}
      {compare && <Comparisons offered={sides} compare={compare} others={comparisons} />}
    </div>
  );
}

/** Two values of a label against each other, in one step. */
function Comparisons(props: { offered: LabelSides[]; compare: (sides: LabelSides) => void; others: Comparison[] }) {
  const { offered, compare, others } = props;
  if (offered.length === 0) return null;
  return (
    <fieldset class="menu-list apart" aria-labelledby="compare-labels">
      <p class="menu-title" id="compare-labels">
        Compare
      </p>
      {offered.map((sides) => (
        <button
          type="button"
          key={sides.name}
          title="Compare these two values"
          data-testid="compare-labels"
          onClick={() => compare(sides)}
        >
          <Icon name="swap" />
          {comparisonLabel(sides)}
        </button>
      ))}
      {others.map(({ label, choose }) => (
        <button type="button" key={label} data-testid="compare-version" onClick={choose}>
          <Icon name="swap" />
          {label}
        </button>
      ))}
    </fieldset>
  );
}

/** What is wrong with a regular expression, in the words of the core, which the server has too; empty when nothing is. */
async function patternProblem(pattern: string): Promise<string> {
  const problem = await core.regexProblem(pattern);
  return problem ? `Invalid regular expression: ${problem.replace(/^.*invalid regular expression: /s, "")}` : "";
}
