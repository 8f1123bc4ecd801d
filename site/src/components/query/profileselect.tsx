import { compareTypes, typeLabel } from "../../format/type.ts";
import { service, services } from "../../state/query/services.ts";
import { go, NO_FOCUS, urlState } from "../../state/url/router.ts";
import { Select } from "../controls/select.tsx";

/** Which service and which type of profile. */
export function ProfileSelect() {
  const { service: name, type } = urlState.value;
  const names = (services.value.value ?? []).map((found) => found.name);
  const types = (service.value?.types ?? []).map(({ id }) => id).sort(compareTypes);
  const choose = (next: string) => {
    const ids = services.value.value?.find((found) => found.name === next)?.types.map(({ id }) => id) ?? [];
    go({ ...NO_FOCUS, service: next, type: ids.includes(type) ? type : (ids[0] ?? "") });
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
