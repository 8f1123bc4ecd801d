import { batch, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { alertTarget } from "../../state/page/alerttarget.ts";
import { type RecordTarget, recordTarget } from "../../state/page/record.ts";
import { takenSteps } from "../../state/profile/stepchanges.ts";
import { labelOrder } from "../../state/query/labels.ts";
import { ownLabels } from "../../state/query/ownlabels.ts";
import {
  PREFIX,
  proposedName,
  type RecordingRule,
  type RuleDraft,
  ruleWords,
  unitSuffix,
} from "../../state/query/recordingrule.ts";
import { createRule, useRulePreview } from "../../state/query/recordingrules.ts";
import { selector } from "../../state/query/selector.ts";
import { useSaving } from "../../state/saving.ts";
import type { View } from "../../state/url/route.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { AlertDialog } from "../alerts/lazydialog.ts";
import { Dialog } from "../controls/dialog.tsx";
import { Recorded } from "./recorded.tsx";
import { LoadedChart, seriesCount } from "./rulechart.tsx";
import "../../style/rules.css";

const DAY = 86_400_000;

/** What of a function is measured. */
type What = "total" | "self" | "path";

/** Views whose frames have the callers that the stacks have. */
const STACKS: View[] = ["flame", "both", "table", "tree"];

/** Makes a recording rule of what the page of a service shows. */
export function RecordDialog({ target }: { target: RecordTarget }) {
  const saved = useSignal<RecordingRule | null>(null);
  const end = () =>
    batch(() => {
      alertTarget.value = null;
      recordTarget.value = null;
    });
  // The next step after a rule is saved.
  if (alertTarget.value) return <AlertDialog target={alertTarget.value} onClose={end} />;
  return (
    <Dialog class="record" title="Record as a metric" testid="record" onClose={end}>
      {(close) =>
        saved.value ? (
          <Recorded rule={saved.value} close={close} />
        ) : (
          <Form target={target} done={(rule) => (saved.value = rule)} />
        )
      }
    </Dialog>
  );
}

function Form({ target, done }: { target: RecordTarget; done: (rule: RecordingRule) => void }) {
  const { service, type, base } = exploreRoute.peek();
  const { func } = target;
  const what = useSignal<What>("total");
  /** Null while the proposed name is used. */
  const named = useSignal<string | null>(null);
  const by = useSignal<string[]>([]);
  const withUnit = useSignal(true);
  const suffix = unitSuffix(type);
  const isPath = what.value === "path";
  const rule: RuleDraft = {
    metric_name: "",
    query: type + selector(service, base.filters),
    group_by: by.value,
    external_labels: {},
    function: isPath ? "" : func,
    function_regex: "",
    call_site: isPath ? target.path : [],
    self: what.value === "self",
    unit_suffix: suffix !== "" && withUnit.value,
  };
  rule.metric_name = named.value ?? proposedName(rule);
  const { running, wrong, run } = useSaving("save the rule");
  const save = (event: Event) => {
    event.preventDefault();
    void run(async () => done(await createRule(rule)));
  };
  return (
    <form class="record-form" onSubmit={save}>
      <p data-testid="record-words">{ruleWords(rule)}</p>
      {func !== "" && (
        <fieldset class="segmented" aria-label="What to measure">
          {choicesOf(target).map(({ value, label, title }) => (
            <button
              type="button"
              key={value}
              title={title}
              aria-pressed={what.value === value}
              data-testid={`record-what-${value}`}
              onClick={() => (what.value = value)}
            >
              {label}
            </button>
          ))}
        </fieldset>
      )}
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
            onInput={(event) => (named.value = event.currentTarget.value)}
          />
          {rule.unit_suffix && <span class="soft">{suffix}</span>}
        </span>
      </label>
      {suffix !== "" && (
        <label class="check">
          <input
            type="checkbox"
            checked={withUnit}
            data-testid="record-unit"
            onChange={(event) => (withUnit.value = event.currentTarget.checked)}
          />
          Values in {suffix.slice(1)} (adds {suffix} to the name)
        </label>
      )}
      <GroupBy chosen={by.value} onChange={(next) => (by.value = next)} />
      <Preview rule={rule} />
      {wrong && (
        <p role="alert" data-testid="record-problem">
          {wrong}
        </p>
      )}
      <button type="submit" class="control primary" disabled={running} data-testid="record-save">
        Record
      </button>
    </form>
  );
}

function choicesOf({ func, path }: RecordTarget): { value: What; label: string; title: string }[] {
  const { invert, view } = exploreRoute.peek();
  // With filters, or upside down, a frame's callers aren't those of the stored stacks.
  const asRecorded = takenSteps.peek().length === 0 && !invert && STACKS.includes(view);
  const choices = [
    { value: "total" as const, label: "Total", title: `${func} and everything it calls` },
    { value: "self" as const, label: "Self", title: `${func} without what it calls` },
    { value: "path" as const, label: "This call path", title: `Only where ${func} has the callers of this frame` },
  ];
  return path.length > 0 && asRecorded ? choices : choices.slice(0, 2);
}

/** One series for each value of the labels. */
function GroupBy({ chosen, onChange }: { chosen: string[]; onChange: (by: string[]) => void }) {
  const labels = ownLabels.value ?? {};
  const names = labelOrder(labels);
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
          {state === "ready" && value ? seriesCount(value) : state === "loading" ? "Reading…" : ""}
        </span>
      </h3>
      <LoadedChart preview={preview} rule={rule} span={span} />
    </section>
  );
}
