import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Problem, problemOf } from "../../state/problem.ts";
import { deletePin, listPins, type Pin } from "../../state/query/pins.ts";
import { spanLabel } from "../../time/range.ts";
import { ProblemNote } from "../status/problemnote.tsx";

/** What is kept beyond the retention, each to be given up. */
export function PinList() {
  const pins = useSignal<Pin[] | null>(null);
  const problem = useSignal<Problem | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    listPins(stop.signal).then(
      (found) => (pins.value = found),
      (failure) => {
        if (!stop.signal.aborted) problem.value = problemOf(failure, "list what is kept");
      },
    );
    return () => stop.abort();
  }, []);
  const give = async (pin: Pin) => {
    problem.value = null;
    try {
      pins.value = await deletePin(pin);
    } catch (failure) {
      problem.value = problemOf(failure, "give up what is kept");
    }
  };
  return (
    <section class="pins" aria-label="Kept beyond the retention">
      <h3>Kept beyond the retention</h3>
      {problem.value && <ProblemNote problem={problem.value} />}
      {pins.value?.length === 0 && (
        <p class="hint">Nothing. The menu of the time range of a service keeps what is seen.</p>
      )}
      {pins.value && pins.value.length > 0 && (
        <ul>
          {pins.value.map((pin) => (
            <li key={`${pin.from} ${pin.until}`} data-testid="pin">
              <span>
                {spanLabel(pin, Date.now())} <span class="soft">{pin.text}</span>
              </span>
              <button
                type="button"
                class="control"
                title="Its profiles are removed when they are older than the retention"
                data-testid="pin-delete"
                onClick={() => void give(pin)}
              >
                Give up
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
