/** An action that the server may refuse: then its own words are enough. */
import { useSignal } from "@preact/signals";
import { ApiError } from "../apierror.ts";
import { useAction } from "./action.ts";

export interface Saving {
  /** What was refused is changed. */
  forget: () => void;
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
    forget: () => (refused.value = ""),
    run: (act) => {
      refused.value = "";
      return run(async () => {
        try {
          await act();
        } catch (failure) {
          if (!(failure instanceof ApiError && isExplained(failure))) throw failure;
          refused.value = sentence(failure.reason);
        }
      });
    },
  };
}

/** Whether the reason is for people. 502 and 504 are about another server that was asked. */
function isExplained({ reason, status }: ApiError): boolean {
  return reason !== "" && status !== 401 && (status < 500 || status === 502 || status === 504);
}

/** "The name is taken." of "the name is taken". A host stays as it is. */
export function sentence(reason: string): string {
  const [first] = reason.split(" ");
  const begin = /\.\w/.test(first) ? reason[0] : reason[0].toUpperCase();
  return `${begin}${reason.slice(1).replace(/\.$/, "")}.`;
}
