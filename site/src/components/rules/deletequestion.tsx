import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useSaving } from "../../state/saving.ts";

/** A button that asks before it deletes something for everyone. `children` are the name as it is shown. */
export function DeleteQuestion(props: {
  name: string;
  warning: string;
  /** Completes "Could not …". */
  doing: string;
  testid: string;
  remove: () => Promise<void>;
  children: ComponentChildren;
}) {
  const { name, warning, doing, testid, remove, children } = props;
  const asked = useSignal(false);
  const answer = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => answer.current?.focus(), [asked.value]);
  const { running, wrong, run } = useSaving(doing);
  if (!asked.value)
    return (
      <button
        type="button"
        class="control"
        aria-label={`Delete ${name}`}
        data-testid={`${testid}-delete`}
        onClick={() => (asked.value = true)}
      >
        Delete…
      </button>
    );
  return (
    <div class="rule-question" data-testid={`${testid}-question`}>
      <p role="alert">
        Delete <b>{children}</b>? {warning}
        {wrong && ` ${wrong}`}
      </p>
      <button
        type="button"
        ref={answer}
        class="control danger"
        disabled={running}
        data-testid={`${testid}-delete-yes`}
        onClick={() => void run(remove)}
      >
        Delete for everyone
      </button>
      <button type="button" class="control" onClick={() => (asked.value = false)}>
        Keep
      </button>
    </div>
  );
}
