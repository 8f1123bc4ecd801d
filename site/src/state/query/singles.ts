/** What the panel of single profiles shows. */
import { askConnect } from "../../api.ts";
import { columnsOf, type HeatmapAnswer, type Singles, singlesOf } from "../../time/singles.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { urlState } from "../url/router.ts";
import { selector } from "./selector.ts";
import { span } from "./services.ts";

interface Found extends Singles {
  /** Of some profiles only sums are left. */
  incomplete: boolean;
}

export const singles = resource(
  "read the single profiles",
  () => {
    const { route, panel, service, type, base, window } = urlState.value;
    if (route !== "explore" || panel !== "singles" || !service || !type) return null;
    return { type, selected: selector(service, base.filters), ...(window ?? span.value), at: clock.value };
  },
  async ({ type, selected, from, until }, signal): Promise<Found> => {
    const { start, end, step } = columnsOf({ from, until });
    const asked = {
      profileTypeID: type,
      labelSelector: selected,
      start: String(start),
      end: String(end),
      step: step / 1000,
      queryType: "HEATMAP_QUERY_TYPE_INDIVIDUAL",
      exemplarType: "EXEMPLAR_TYPE_INDIVIDUAL",
    };
    const { message, headers } = await askConnect<HeatmapAnswer>(
      "querier.v1.QuerierService/SelectHeatmap",
      asked,
      signal,
    );
    const incomplete = headers.get("x-pilotlight-incomplete") === "true";
    return { ...singlesOf(message, { from, until }), incomplete };
  },
  ({ type, selected }) => type + selected,
  "dropped",
);
