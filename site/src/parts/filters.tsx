import { useSignal } from "@preact/signals";
import { labels } from "../state/explore.ts";
import { formatMatcher, matcherLabel, type Matcher } from "../state/selector.ts";
import { Icon } from "./icon.tsx";
import { Menu } from "./menu.tsx";
import { Select } from "./select.tsx";

const OPERATORS: { value: Matcher["op"]; label: string }[] = [
  { value: "=", label: "is" },
  { value: "!=", label: "is not" },
  { value: "=~", label: "matches" },
  { value: "!~", label: "does not match" },
];

/** Label filters as chips in order, each removable, and a way to add one. */
export function Filters(props: { filters: string[]; testid: string; onChange: (filters: string[]) => void }) {
  const { filters, testid, onChange } = props;
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
          {matcherLabel(filter)}
          <Icon name="close" />
        </button>
      ))}
      <Menu label={<><Icon name="plus" />filter</>} title="Add a filter" class="control quiet" testid={`${testid}-add`}>
        {(close) => (
          <AddFilter
            onAdd={(filter) => {
              close();
              if (!filters.includes(filter)) onChange([...filters, filter]);
            }}
          />
        )}
      </Menu>
    </span>
  );
}

function AddFilter({ onAdd }: { onAdd: (filter: string) => void }) {
  const known = labels.value.value ?? {};
  const names = Object.keys(known).filter((name) => name !== "service_name" && !/^__.*__$/.test(name));
  const name = useSignal(names[0] ?? "");
  const op = useSignal<Matcher["op"]>("=");
  const text = useSignal("");
  if (names.length === 0) {
    return <p class="hint">{labels.value.state === "loading" ? "Looking for labels…" : "The profiles in this range carry no labels to filter by."}</p>;
  }
  const chosen = names.includes(name.value) ? name.value : names[0];
  const add = (value: string) => onAdd(formatMatcher({ name: chosen, op: op.value, value }));
  const pattern = op.value === "=~" || op.value === "!~";
  return (
    <div class="add-filter">
      <div class="row">
        <Select label="Label" value={chosen} options={names.map((value) => ({ value, label: value }))} onChange={(value) => (name.value = value)} />
        <Select label="Comparison" value={op.value} options={OPERATORS} onChange={(value) => (op.value = value as Matcher["op"])} />
      </div>
      {pattern ? (
        <form class="row" onSubmit={(event) => (event.preventDefault(), text.value && add(text.value))}>
          <input aria-label="Regular expression" placeholder="eu-.*" value={text} onInput={(event) => (text.value = event.currentTarget.value)} />
          <button type="submit" class="control">
            Add
          </button>
        </form>
      ) : (
        <div class="menu-list">
          {known[chosen].map((value) => (
            <button type="button" key={value} onClick={() => add(value)}>
              {value || <i>empty</i>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
