import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useAction } from "../../state/action.ts";
import { deletePin, listPins, type Pin } from "../../state/query/pins.ts";
import { spanLabel } from "../../time/range.ts";
import { DeleteForEveryone } from "../controls/deleteforeveryone.tsx";
import { ProblemNote } from "../status/problemnote.tsx";

/** What is kept beyond the retention, each to be given up. */
export function PinList() {
  const pins = useSignal<Pin[] | null>(null);
  const { problem, run } = useAction("list the pins");
  useEffect(() => {
    const stop = new AbortController();
    void run(async () => {
      pins.value = await listPins(stop.signal);
    });
    return () => stop.abort();
  }, []);
  return (
    <section class="pins" aria-label="Pinned">
      <h3>Pinned</h3>
      {problem.value && <ProblemNote problem={problem.value} />}
      {pins.value?.length === 0 && <p class="hint">None. To pin profiles, open a service and its time range menu.</p>}
      {pins.value && pins.value.length > 0 && (
        <ul>
          {pins.value.map((pin) => (
            <li key={`${pin.from} ${pin.until}`} data-testid="pin">
              <DeleteForEveryone
                name={`the pin for ${spanLabel(pin, Date.now())}, which keeps profiles past their retention`}
                testid="pin-delete"
                remove={async () => {
                  await deletePin(pin);
                  pins.value = pins.value?.filter((one) => one !== pin) ?? null;
                }}
              >
                <span>
                  {spanLabel(pin, Date.now())} <span class="soft">{pin.text}</span>
                </span>
              </DeleteForEveryone>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
