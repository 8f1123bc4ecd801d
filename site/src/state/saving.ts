/** An action that the server may refuse: then its own words are enough. */
import { useSignal } from "@preact/signals";
import { ApiError } from "../apierror.ts";
import { useAction } from "./action.ts";

interface Saving {
  running: boolean;
  /** What went wrong the last time; empty when nothing did. */
  wrong: string;
  run: (act: () => Promise<unknown>) => Promise<void>;
}

/** `doing` completes "Could not …". */
export function useSaving(doing: string): Saving {
  const { running, problem, run } = useAction(doing);
  const refused = useSignal("");
  return {
    running: running.value,
    wrong: refused.value || (problem.value ? `${problem.value.title}. ${problem.value.meaning}` : ""),
    run: (act) => {
      refused.value = "";
      return run(async () => {
        try {
          await act();
        } catch (failure) {
          const isWords =
            failure instanceof ApiError && failure.reason && failure.status !== 401 && failure.status < 500;
          if (!isWords) throw failure;
          refused.value = sentence(failure.reason);
        }
      });
    },
  };
}

/** "Conflict: the name is taken." of "conflict: the name is taken". */
export function sentence(reason: string): string {
  return `${reason[0].toUpperCase()}${reason.slice(1).replace(/\.$/, "")}.`;
}
