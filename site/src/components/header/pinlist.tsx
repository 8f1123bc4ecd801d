import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useAction } from "../../state/action.ts";
import { deletePin, listPins, type Pin } from "../../state/query/pins.ts";
import { spanLabel } from "../../time/range.ts";
import { ProblemNote } from "../status/problemnote.tsx";

/** What is kept beyond the retention, each to be given up. */
export function PinList() {
  const pins = useSignal<Pin[] | null>(null);
  const listing = useAction("list what is kept");
  const giving = useAction("give up what is kept");
  const problem = giving.problem.value ?? listing.problem.value;
  useEffect(() => {
    const stop = new AbortController();
    void listing.run(async () => {
      pins.value = await listPins(stop.signal);
    });
    return () => stop.abort();
  }, []);
  const give = (pin: Pin) =>
    giving.run(async () => {
      pins.value = await deletePin(pin);
    });
  return (
    <section class="pins" aria-label="Kept beyond the retention">
      <h3>Kept beyond the retention</h3>
      {problem && <ProblemNote problem={problem} />}
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
