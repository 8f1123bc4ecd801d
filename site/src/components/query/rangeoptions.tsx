import { AutoRefresh } from "./autorefresh.tsx";
import { KeepRange } from "./keeprange.tsx";
import { ZoneChoice } from "./zonechoice.tsx";

/** What holds for every range. */
export function RangeOptions() {
  return (
    <>
      <AutoRefresh />
      <ZoneChoice />
      <KeepRange />
    </>
  );
}
