import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ProblemNote } from "../components/status/problemnote.tsx";
import { type Problem, problemOf } from "../state/problem.ts";
import { askModel, modelOf } from "../state/query/model.ts";
import { markdown, type Summary } from "./summary.ts";

/** What a language model makes of the summary, where the server has one and the person asks. */
export function ModelAnswer({ summary }: { summary: Summary }) {
  const model = useSignal("");
  const answer = useSignal<{ state: "none" | "asked" } | { state: "told"; text: string }>({ state: "none" });
  const problem = useSignal<Problem | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    // Without an answer there is none to offer.
    modelOf(stop.signal).then(
      (found) => (model.value = found),
      () => {},
    );
    return () => stop.abort();
  }, []);
  if (model.value === "") return null;
  const ask = async () => {
    answer.value = { state: "asked" };
    problem.value = null;
    try {
      answer.value = { state: "told", text: await askModel(markdown(summary, "")) };
    } catch (failure) {
      answer.value = { state: "none" };
      problem.value = problemOf(failure, `ask ${model.value}`);
    }
  };
  return (
    <section aria-label="A language model" data-testid="explain-model">
      {answer.value.state === "told" ? (
        <>
          <h3>{model.value} says</h3>
          <p class="explain-said" data-testid="explain-said">
            {answer.value.text}
          </p>
          <p class="hint">A model may be wrong. The figures above are not its own.</p>
        </>
      ) : (
        <p class="explain-actions">
          <button
            type="button"
            class="control"
            disabled={answer.value.state === "asked"}
            data-testid="explain-ask"
            onClick={() => void ask()}
          >
            {answer.value.state === "asked" ? `Asking ${model.value}…` : `Ask ${model.value}`}
          </button>
          <span class="hint">Sends the text above, without the profile, to the model that this server names.</span>
        </p>
      )}
      {problem.value && <ProblemNote problem={problem.value} />}
    </section>
  );
}
