import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ProblemNote } from "../components/status/problemnote.tsx";
import { useAction } from "../state/action.ts";
import { askModel, modelOf } from "../state/query/model.ts";
import { markdown, type Summary } from "./summary.ts";

/** What a language model makes of the summary, where the server has one and the person asks. */
export function ModelAnswer({ summary }: { summary: Summary }) {
  const model = useSignal("");
  const said = useSignal<string | null>(null);
  const { running, problem, run } = useAction(`ask ${model.value}`);
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
  const ask = () =>
    run(async () => {
      said.value = await askModel(markdown(summary, ""));
    });
  return (
    <section aria-label="Language model" data-testid="explain-model">
      {said.value !== null ? (
        <>
          <h3>{model.value} says</h3>
          <p class="explain-said" data-testid="explain-said">
            {said.value}
          </p>
          <p class="hint">A model may be wrong. The figures above don't come from it.</p>
        </>
      ) : (
        <p class="explain-actions">
          <button
            type="button"
            class="control"
            disabled={running.value}
            data-testid="explain-ask"
            onClick={() => void ask()}
          >
            {running.value ? `Asking ${model.value}…` : `Ask ${model.value}`}
          </button>
          <span class="hint">Sends the text above, without the profile, to the model that this server uses.</span>
        </p>
      )}
      {problem.value && <ProblemNote problem={problem.value} />}
    </section>
  );
}
