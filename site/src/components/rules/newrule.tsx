import { useSignal } from "@preact/signals";
import type { RecordedFrame } from "../../state/page/record.ts";
import { takenSteps } from "../../state/profile/stepchanges.ts";
import { labelOrder } from "../../state/query/labels.ts";
import { ownLabels } from "../../state/query/ownlabels.ts";
import { proposedName, type RecordingRule, type RuleDraft } from "../../state/query/recordingrule.ts";
import { saveRule } from "../../state/query/recordingrules.ts";
import { selector } from "../../state/query/selector.ts";
import { useSaving } from "../../state/saving.ts";
import type { View } from "../../state/url/route.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { RuleForm } from "./ruleform.tsx";

/** What of a function is measured, or the entire profile. */
type What = "total" | "self" | "path" | "whole";

/** Views whose frames have the callers that the stacks have. */
const STACKS: View[] = ["flame", "both", "table", "tree"];

/** The form for a new rule, on the page of a service. */
export function NewRule({ frame, done }: { frame: RecordedFrame; done: (rule: RecordingRule) => void }) {
  const { service, type, base } = exploreRoute.peek();
  const { func, path } = frame;
  const what = useSignal<What>("total");
  const changed = useSignal<Partial<RuleDraft>>({});
  const isPath = what.value === "path";
  const rule: RuleDraft = {
    metric_name: "",
    query: type + selector(service, base.filters),
    group_by: [],
    external_labels: {},
    function: isPath || what.value === "whole" ? "" : func,
    function_regex: "",
    call_site: isPath ? path : [],
    self: what.value === "self",
    unit_suffix: true,
    ...changed.value,
  };
  // Until another name is given.
  rule.metric_name = changed.value.metric_name ?? proposedName(rule);
  const saving = useSaving("save the rule");
  return (
    <RuleForm
      rule={rule}
      labels={labelOrder(ownLabels.value ?? {})}
      saving={saving}
      submit="Record"
      onChange={(patch) => (changed.value = { ...changed.value, ...patch })}
      onSave={(sent) => void saving.run(async () => done(await saveRule({ ...sent, id: "", generation: 0 })))}
    >
      {func !== "" && (
        <fieldset class="segmented" aria-label="What to measure">
          {choicesOf(frame).map(({ value, label, title }) => (
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
    </RuleForm>
  );
}

function choicesOf({ func, path }: RecordedFrame): { value: What; label: string; title: string }[] {
  const { invert, view } = exploreRoute.peek();
  // With filters, or upside down, a frame's callers aren't those of the stored stacks.
  const asRecorded = takenSteps.peek().length === 0 && !invert && STACKS.includes(view);
  const choices = [
    { value: "total" as const, label: "Total", title: `${func} and everything it calls` },
    { value: "self" as const, label: "Self", title: `${func} without what it calls` },
    { value: "path" as const, label: "This call path", title: `Only where ${func} has the callers of this frame` },
  ];
  const whole = { value: "whole" as const, label: "Entire profile", title: "All samples, whatever their functions" };
  return [...(path.length > 0 && asRecorded ? choices : choices.slice(0, 2)), whole];
}
