import { useSignal } from "@preact/signals";
import type { Service } from "../../api.ts";
import { typeLabel } from "../../format/type.ts";
import { labelOrder } from "../../state/query/labels.ts";
import { proposedName, type RecordingRule, type RuleDraft } from "../../state/query/recordingrule.ts";
import { recordable, saveRule, useQueryLabels } from "../../state/query/recordingrules.ts";
import { selector } from "../../state/query/selector.ts";
import { useSaving } from "../../state/saving.ts";
import { Select } from "../controls/select.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import { FunctionField } from "./functionfield.tsx";
import { RuleForm } from "./ruleform.tsx";

type Done = (rule: RecordingRule) => void;

/** The form for a new rule, on the page Rules: of a service, and of one of its functions. */
export function ServiceRule({ done }: { done: Done }) {
  const { value, problem } = recordable.value;
  if (value && value.length > 0) return <Form services={value} done={done} />;
  if (problem) return <RetryNote problem={problem} />;
  return <p class="hint">{value ? "No service has sent profiles in the last 24 h." : "Listing services…"}</p>;
}

function Form({ services, done }: { services: Service[]; done: Done }) {
  const service = useSignal(services[0].name);
  const type = useSignal("");
  const changed = useSignal<Partial<RuleDraft>>({});
  const types = services.find(({ name }) => name === service.value)?.types.map(({ id }) => id) ?? [];
  // Another service may not have the chosen type.
  const measured = types.includes(type.value) ? type.value : (types[0] ?? "");
  const rule: RuleDraft = {
    metric_name: "",
    query: measured + selector(service.value, []),
    group_by: [],
    external_labels: {},
    function: "",
    function_regex: "",
    call_site: [],
    self: false,
    unit_suffix: true,
    ...changed.value,
  };
  // Until another name is given.
  rule.metric_name = changed.value.metric_name ?? proposedName(rule);
  const saving = useSaving("save the rule");
  const labels = useQueryLabels(rule.query);
  const change = (patch: Partial<RuleDraft>) => {
    changed.value = { ...changed.value, ...patch };
  };
  return (
    <RuleForm
      rule={rule}
      labels={labelOrder(labels)}
      saving={saving}
      submit="Record"
      onChange={change}
      onSave={(sent) => void saving.run(async () => done(await saveRule({ ...sent, id: "", generation: 0 })))}
    >
      <div class="rule-actions">
        <Select
          label="Service"
          testid="record-service"
          value={service.value}
          options={services.map(({ name }) => ({ value: name, label: name }))}
          onChange={(name) => {
            service.value = name;
            // Its labels are others.
            change({ group_by: [] });
          }}
        />
        <Select
          label="Type"
          testid="record-type"
          value={measured}
          options={types.map((id) => ({ value: id, label: typeLabel(id) }))}
          onChange={(id) => (type.value = id)}
        />
      </div>
      <FunctionField rule={rule} onChange={change} />
    </RuleForm>
  );
}
