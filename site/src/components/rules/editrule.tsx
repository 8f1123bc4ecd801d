import { batch, useSignal } from "@preact/signals";
import { ApiError } from "../../apierror.ts";
import { labelOrder } from "../../state/query/labels.ts";
import { draftOf, type RecordingRule, type RuleDraft } from "../../state/query/recordingrule.ts";
import { saveRule, storedRule, useQueryLabels } from "../../state/query/recordingrules.ts";
import { useSaving } from "../../state/saving.ts";
import { FunctionField } from "./functionfield.tsx";
import { RuleForm } from "./ruleform.tsx";

/** What happened to the rule since it was opened: it was changed, or deleted. */
type Conflict = { now: RecordingRule | null };

/** The form for a rule that is stored. */
export function EditRule({ rule: opened, done }: { rule: RecordingRule; done: () => void }) {
  const stored = useSignal(opened);
  const changed = useSignal<Partial<RuleDraft>>({});
  const conflict = useSignal<Conflict | null>(null);
  const { id, generation } = stored.value;
  const rule: RuleDraft = { ...draftOf(stored.value), ...changed.value };
  const saving = useSaving("save the rule");
  const change = (patch: Partial<RuleDraft>) => {
    saving.forget();
    changed.value = { ...changed.value, ...patch };
  };
  /** It is edited as it is now; null to make it again as it is in the form. */
  const goOn = (now: RecordingRule | null) =>
    batch(() => {
      stored.value = now ?? { ...stored.value, generation: 0 };
      if (now) changed.value = {};
      conflict.value = null;
    });
  const save = async (sent: RuleDraft) => {
    conflict.value = null;
    try {
      await saveRule({ ...sent, id, generation });
    } catch (failure) {
      if (!(failure instanceof ApiError && failure.status === 409)) throw failure;
      const now = await storedRule(id);
      // Without a change there is another reason, which the server says.
      if (now?.generation === generation || (!now && generation === 0)) throw failure;
      conflict.value = { now };
      return;
    }
    done();
  };
  const labels = useQueryLabels(rule.query);
  return (
    <RuleForm
      // What is in the form's own fields begins anew with another state of the rule.
      key={generation}
      rule={rule}
      labels={labelOrder(labels)}
      saving={saving}
      submit="Save"
      onChange={change}
      onSave={(sent) => void saving.run(() => save(sent))}
      problem={conflict.value && <ConflictNote {...conflict.value} goOn={goOn} />}
    >
      <Target rule={rule} stored={stored.value} onChange={change} />
    </RuleForm>
  );
}

/** What is measured: a pattern stays a pattern, and a call path stays as it is. */
function Target({
  rule,
  stored,
  onChange,
}: {
  rule: RuleDraft;
  stored: RecordingRule;
  onChange: (patch: Partial<RuleDraft>) => void;
}) {
  return (
    <>
      <label class="record-field">
        Query
        <textarea
          required
          rows={2}
          spellcheck={false}
          autocomplete="off"
          value={rule.query}
          data-testid="record-query"
          onInput={(event) => onChange({ query: event.currentTarget.value })}
        />
      </label>
      {stored.call_site.length === 0 && (
        <FunctionField rule={rule} isRegex={stored.function_regex !== ""} self={stored.self} onChange={onChange} />
      )}
      {stored.call_site.length > 0 && (
        <p class="hint" data-testid="record-path">
          Call path: {stored.call_site.join(" → ")}
        </p>
      )}
    </>
  );
}

function ConflictNote({ now, goOn }: Conflict & { goOn: (now: RecordingRule | null) => void }) {
  return (
    <div class="rule-question" data-testid="record-conflict">
      <p role="alert">
        {now
          ? "Someone changed this rule after you opened it. Reload it to see the change; this discards your own changes."
          : "Someone deleted this rule after you opened it."}
      </p>
      <button type="button" class="control" data-testid="record-reload" onClick={() => goOn(now)}>
        {now ? "Reload" : "Create again"}
      </button>
    </div>
  );
}
