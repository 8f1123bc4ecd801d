import { chooseZone } from "../../state/page/zonesetting.ts";
import { localZone } from "../../time/range.ts";
import { zone } from "../../time/zone.ts";
import { Select } from "../controls/select.tsx";

/** In which zone all times are shown. */
export function ZoneChoice() {
  return (
    <Select
      label="Time zone"
      testid="zone"
      value={zone.value}
      options={[
        { value: "local", label: `Times: local (${localZone()})` },
        { value: "utc", label: "Times: UTC" },
      ]}
      onChange={(value) => chooseZone(value === "utc" ? "utc" : "local")}
    />
  );
}
