import { useSignal } from "@preact/signals";

/** An expression that is typed, and checked before it is added. What is checked is added, whatever is typed meanwhile. */
export function PatternForm(props: {
  label: string;
  placeholder: string;
  testid: string;
  /** What is wrong with it; empty when nothing is. */
  check: (text: string) => Promise<string>;
  add: (text: string) => void;
}) {
  const { label, placeholder, testid, check, add } = props;
  const text = useSignal("");
  const wrong = useSignal("");
  const submit = async () => {
    const typed = text.peek();
    if (!typed) return;
    const problem = await check(typed);
    if (!problem) add(typed);
    else if (typed === text.peek()) wrong.value = problem;
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <input
        aria-label={label}
        placeholder={placeholder}
        data-testid={testid}
        value={text}
        aria-invalid={wrong.value !== ""}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          wrong.value = "";
        }}
      />
      <button type="submit" class="control">
        Add
      </button>
      {wrong.value && (
        <p role="alert" data-testid={`${testid}-problem`}>
          {wrong}
        </p>
      )}
    </form>
  );
}
