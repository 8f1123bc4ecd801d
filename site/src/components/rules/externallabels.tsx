import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { externalLabelProblem } from "../../state/query/recordingrule.ts";
import { Icon } from "../controls/icon.tsx";

/** As many as the server accepts. */
const MOST = 16;

interface Row {
  key: number;
  name: string;
  value: string;
}

type Labels = Record<string, string>;

/** Labels that all series get: few rules have them, so they are folded away. `by` are the labels to group by. */
export function ExternalLabels(props: { labels: Labels; by: string[]; onChange: (labels: Labels) => void }) {
  const { labels, by, onChange } = props;
  // Rows may have no name yet, or one that another row has.
  const rows = useSignal<Row[]>(Object.entries(labels).map(([name, value], key) => ({ key, name, value })));
  const isOpen = useSignal(rows.peek().length > 0);
  const next = useRef(rows.peek().length);
  const change = (changed: Row[]) => {
    rows.value = changed;
    onChange(Object.fromEntries(changed.filter(({ name }) => name).map(({ name, value }) => [name, value])));
  };
  const update = (key: number, patch: Partial<Row>) =>
    change(rows.value.map((row) => (row.key === key ? { ...row, ...patch } : row)));
  return (
    <details
      class="record-options"
      open={isOpen}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
      // The browser can't show what is wrong with a field that is folded away.
      onInvalidCapture={(event) => (event.currentTarget.open = true)}
    >
      <summary data-testid="record-options">Options</summary>
      <fieldset>
        <legend>Labels of all series</legend>
        {rows.value.map(({ key, name, value }) => {
          const others = rows.value.filter((row) => row.key !== key).map((row) => row.name);
          const wrong = externalLabelProblem(name, others, by);
          return (
            <div key={key} class="record-label" data-testid="record-label">
              <input
                required={value !== ""}
                aria-label="Name"
                placeholder="team"
                spellcheck={false}
                autocomplete="off"
                value={name}
                ref={(input) => input?.setCustomValidity(wrong)}
                data-testid="record-label-name"
                onInput={(event) => update(key, { name: event.currentTarget.value.trim() })}
              />
              =
              <input
                aria-label={`Value of ${name || "the label"}`}
                placeholder="shop"
                spellcheck={false}
                autocomplete="off"
                value={value}
                data-testid="record-label-value"
                onInput={(event) => update(key, { value: event.currentTarget.value })}
              />
              <button
                type="button"
                class="control icon-only"
                title={`Remove ${name || "the label"}`}
                data-testid="record-label-remove"
                onClick={() => change(rows.value.filter((row) => row.key !== key))}
              >
                <Icon name="close" />
              </button>
            </div>
          );
        })}
        {rows.value.length < MOST && (
          <button
            type="button"
            class="control"
            data-testid="record-label-add"
            onClick={() => {
              rows.value = [...rows.value, { key: next.current++, name: "", value: "" }];
            }}
          >
            <Icon name="plus" /> Add label
          </button>
        )}
      </fieldset>
    </details>
  );
}
