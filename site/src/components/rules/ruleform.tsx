import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import {
  exportedName,
  PREFIX,
  queryParts,
  type RuleDraft,
  ruleWords,
  unitSuffix,
} from "../../state/query/recordingrule.ts";
import { useRulePreview } from "../../state/query/recordingrules.ts";
import type { Saving } from "../../state/saving.ts";
import { ExternalLabels } from "./externallabels.tsx";
import { drawingOf, seriesCount } from "./rulebands.ts";
import { LoadedChart } from "./rulechart.tsx";

const DAY = 86_400_000;

/** What the forms for a new rule and for a stored one have in common; `children` say what is measured. */
export function RuleForm(props: {
  /** `unit_suffix` is whether it is wanted where there is one. */
  rule: RuleDraft;
  /** Names of labels of the profiles, to group by. */
  labels: string[];
  saving: Saving;
  /** The words of the button that saves. */
  submit: string;
  onChange: (patch: Partial<RuleDraft>) => void;
  onSave: (rule: RuleDraft) => void;
  /** Why the rule wasn't saved, if that is no failure. */
  problem?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { labels, saving, submit, onChange, onSave, problem, children } = props;
  const suffix = unitSuffix(queryParts(props.rule.query).type);
  const rule = { ...props.rule, unit_suffix: suffix !== "" && props.rule.unit_suffix };
  const isAdded = rule.unit_suffix && exportedName(rule) !== rule.metric_name;
  const save = (event: Event) => {
    event.preventDefault();
    onSave(rule);
  };
  return (
    <form class="record-form" onSubmit={save}>
      <p data-testid="record-words">{ruleWords(rule)}</p>
      {children}
      <label class="record-name">
        Metric name
        <span>
          <input
            required
            autofocus
            pattern={`${PREFIX}[a-zA-Z0-9_:]+`}
            title={`Start with ${PREFIX}; use letters, digits, _ and :`}
            spellcheck={false}
            autocomplete="off"
            value={rule.metric_name}
            data-testid="record-name"
            onInput={(event) => onChange({ metric_name: event.currentTarget.value })}
          />
          {isAdded && <span class="soft">{suffix}</span>}
        </span>
      </label>
      {suffix !== "" && (
        <label class="check">
          <input
            type="checkbox"
            checked={rule.unit_suffix}
            data-testid="record-unit"
            onChange={(event) => onChange({ unit_suffix: event.currentTarget.checked })}
          />
          Values in {suffix.slice(1)} (adds {suffix} to the name)
        </label>
      )}
      <GroupBy names={labels} chosen={rule.group_by} onChange={(group_by) => onChange({ group_by })} />
      <ExternalLabels
        labels={rule.external_labels}
        by={rule.group_by}
        onChange={(external_labels) => onChange({ external_labels })}
      />
      <Preview rule={rule} />
      {problem}
      {saving.wrong && (
        <p role="alert" data-testid="record-problem">
          {saving.wrong}
        </p>
      )}
      <button type="submit" class="control primary" disabled={saving.running} data-testid="record-save">
        {submit}
      </button>
    </form>
  );
}

/** One series for each value of the labels. */
function GroupBy({
  names: known,
  chosen,
  onChange,
}: {
  names: string[];
  chosen: string[];
  onChange: (by: string[]) => void;
}) {
  const first = useRef(chosen);
  // A label that no profile of the last day has can still be unchecked.
  const names = [...known, ...first.current.filter((name) => !known.includes(name))];
  if (names.length === 0) return null;
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <fieldset class="record-by">
      <legend>One series for each</legend>
      {names.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            data-testid="record-by"
            data-name={name}
            onChange={() => toggle(name)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** The last day of the metric, with the profiles that are stored. */
function Preview({ rule }: { rule: RuleDraft }) {
  const opened = useRef(Date.now());
  const span = { from: opened.current - DAY, until: opened.current };
  const preview = useRulePreview(rule, span);
  const { value, state } = preview;
  return (
    <section class="record-preview" aria-label="Preview">
      <h3>
        Last 24 h{" "}
        <span class="hint" role="status" data-testid="record-series">
          {state === "ready" && value ? seriesCount(value, drawingOf(rule)) : state === "loading" ? "Reading…" : ""}
        </span>
      </h3>
      <LoadedChart preview={preview} rule={rule} span={span} />
    </section>
  );
}
