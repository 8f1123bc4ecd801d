import { compareTypes, typeLabel } from "../../format/type.ts";
import { offered } from "../../state/query/services.ts";
import { go, NO_FOCUS, serviceRoute } from "../../state/url/router.ts";
import { Select } from "../controls/select.tsx";

/** Which service and which type of profile. */
export function ProfileSelect() {
  const { service: name, type } = serviceRoute.value;
  const names = offered.value.map((found) => found.name);
  const typesOf = (name: string) => offered.value.find((found) => found.name === name)?.types ?? [];
  const types = [...typesOf(name)].sort(compareTypes);
  const choose = (next: string) => {
    const ids = typesOf(next);
    go({ ...NO_FOCUS, spans: [], traces: [], service: next, type: ids.includes(type) ? type : (ids[0] ?? "") });
  };
  return (
    <>
      <Select
        label="Service"
        testid="service"
        value={name}
        options={names.map((value) => ({ value, label: value }))}
        onChange={choose}
      />
      <Select
        label="Type"
        testid="type"
        value={type}
        options={(types.includes(type) || !type ? types : [type, ...types]).map((value) => ({
          value,
          label: typeLabel(value),
        }))}
        onChange={(next) => go({ type: next })}
      />
    </>
  );
}
