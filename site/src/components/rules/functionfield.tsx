import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { RuleDraft } from "../../state/query/recordingrule.ts";
import { useFunctionNames } from "../../state/query/recordingrules.ts";

/** The function that a rule measures, or a pattern of functions. Without one, the rule measures entire profiles. */
export function FunctionField(props: {
  rule: RuleDraft;
  isRegex?: boolean;
  /** Whether self values are measured if there is a function. */
  self?: boolean;
  onChange: (patch: Partial<RuleDraft>) => void;
}) {
  const { rule, isRegex = false, self = false, onChange } = props;
  const field = isRegex ? "function_regex" : "function";
  const listId = useId();
  const wasFocused = useSignal(false);
  const names = useFunctionNames(rule.query, wasFocused.value && !isRegex);
  return (
    <label class="record-field">
      {isRegex ? "Functions that match" : "Function"}
      <input
        placeholder="Entire profile"
        spellcheck={false}
        autocomplete="off"
        list={isRegex ? undefined : listId}
        value={rule[field]}
        data-testid={isRegex ? "record-regex" : "record-function"}
        onFocus={() => (wasFocused.value = true)}
        // An entire profile has no self value.
        onInput={({ currentTarget: { value } }) => onChange({ [field]: value, self: self && value !== "" })}
      />
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
