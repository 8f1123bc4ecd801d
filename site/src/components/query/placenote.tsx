import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { standalone } from "../../base.ts";
import { type Place, placeOf as readPlace } from "../../bucket/objectplace.ts";
import { FileError } from "../../files/source.ts";
import { madeText } from "../../format/made.ts";
import { trackWork } from "../../settled.ts";
import { bundleAddress, compareWith } from "../../state/query/otherplace.ts";
import { placeOf, places } from "../../state/query/place.ts";
import { placeName } from "../../state/query/placenames.ts";
import { Icon } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";

/** What the bundle that is asked was made of, and the way to a comparison with another one. */
export function PlaceNote() {
  const address = placeOf("base");
  const place = useSignal<Place | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    // What cannot be read is said where its services would be.
    trackWork(readPlace(new URL(address))).then(
      (read) => {
        if (!stop.signal.aborted) place.value = read;
      },
      () => {},
    );
    return () => stop.abort();
  }, [address]);
  return (
    <>
      <p title={address} data-testid="made">
        {place.value && (madeText(place.value) || `Bucket ${placeName(address)}`)}
      </p>
      {!standalone && (
        <Menu label="Compare with another bundle" title="Compare with another bundle" testid="compare-bundle">
          {() => <OtherBundle />}
        </Menu>
      )}
    </>
  );
}

/** Asks for the address of the other bundle, and goes to the comparison. */
function OtherBundle() {
  const text = useSignal(places.peek().other ?? "");
  const wrong = useSignal("");
  const busy = useSignal(false);
  // Whoever closes the menu wants no comparison any more.
  const open = useRef(true);
  useEffect(
    () => () => {
      open.current = false;
    },
    [],
  );
  const submit = async () => {
    const address = bundleAddress(text.peek());
    if (address === null) {
      wrong.value = "Enter a URL, or a path relative to this page.";
      return;
    }
    busy.value = true;
    try {
      await readPlace(address);
      if (open.current) compareWith(address);
    } catch (failure) {
      wrong.value = failure instanceof FileError ? [failure.message, ...failure.tries].join(" ") : String(failure);
    }
    busy.value = false;
  };
  return (
    <form
      class="other-bundle"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label>
        Address of the other bundle
        <input
          value={text}
          placeholder="../run-18/"
          data-testid="other-bundle"
          aria-invalid={wrong.value !== ""}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            wrong.value = "";
          }}
        />
      </label>
      <p class="hint">Absolute, or relative to this page. The current bundle is the baseline.</p>
      {wrong.value && (
        <p role="alert" data-testid="other-bundle-problem">
          {wrong}
        </p>
      )}
      <button type="submit" class="control primary" disabled={busy}>
        <Icon name="swap" /> Compare
      </button>
    </form>
  );
}
