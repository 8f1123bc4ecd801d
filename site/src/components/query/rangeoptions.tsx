import { annotateOpen } from "../../state/page/annotate.ts";
import { placeOf } from "../../state/query/place.ts";
import { server } from "../../state/query/services.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { AutoRefresh } from "./autorefresh.tsx";
import { KeepRange } from "./keeprange.tsx";
import { ZoneChoice } from "./zonechoice.tsx";

/** What holds for every range. */
export function RangeOptions({ close }: { close: () => void }) {
  const { service } = exploreRoute.value;
  // A bundle is what it is.
  const stored = service !== "" && placeOf("base") === "" && server.value === "present";
  return (
    <>
      <AutoRefresh />
      <ZoneChoice />
      {stored && (
        <>
          <button
            type="button"
            class="control"
            data-testid="annotate-open"
            onClick={() => {
              close();
              annotateOpen.value = true;
            }}
          >
            Annotate…
          </button>
          <KeepRange />
        </>
      )}
    </>
  );
}
