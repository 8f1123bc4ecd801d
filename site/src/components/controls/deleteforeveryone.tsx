import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { reportFailure } from "../../state/page/failure.ts";
import { Icon } from "./icon.tsx";

/** Deletes what others see, too: the first press asks, the second deletes. `children` stand beside the first. */
export function DeleteForEveryone(props: {
  name: string;
  testid: string;
  remove: () => Promise<void>;
  children: ComponentChildren;
}) {
  const { name, testid, remove, children } = props;
  const asked = useSignal(false);
  if (asked.value)
    return (
      <button
        type="button"
        class="control danger"
        data-testid={testid}
        onBlur={() => (asked.value = false)}
        onClick={() => void remove().catch((failure) => reportFailure(failure, `delete ${name}`))}
      >
        Delete for everyone
      </button>
    );
  return (
    <>
      {children}
      <button
        type="button"
        class="control icon-only quiet"
        title={`Delete ${name}`}
        onClick={() => (asked.value = true)}
      >
        <Icon name="close" />
      </button>
    </>
  );
}
