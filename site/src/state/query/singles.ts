/** What the panel of single profiles and spans shows. */
import { askConnect } from "../../api.ts";
import { columnsOf, type HeatmapAnswer, type Singles, singlesOf } from "../../time/singlecells.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute } from "../url/router.ts";
import { selector } from "./selector.ts";
import { span } from "./services.ts";

const [PROFILES, SPANS] = ["INDIVIDUAL", "SPAN"];

export interface Found extends Singles {
  /** What is counted: "profile" or "span". */
  word: string;
  /** Of some profiles only sums are left. */
  incomplete: boolean;
}

export const singles = resource(
  "read individual profiles",
  () => {
    const { panel, by, service, type, base, window } = exploreRoute.value;
    if (panel !== "singles" || !service || !type) return null;
    const selected = selector(service, base.filters);
    return { of: by === "spans" ? SPANS : PROFILES, type, selected, ...(window ?? span.value), at: clock.value };
  },
  async ({ of, type, selected, from, until }, signal): Promise<Found> => {
    const { start, end, step } = columnsOf({ from, until });
    const asked = {
      profileTypeID: type,
      labelSelector: selected,
      start: String(start),
      end: String(end),
      step: step / 1000,
      queryType: `HEATMAP_QUERY_TYPE_${of}`,
      exemplarType: `EXEMPLAR_TYPE_${of}`,
    };
    const { message, headers } = await askConnect<HeatmapAnswer>(
      "querier.v1.QuerierService/SelectHeatmap",
      asked,
      signal,
    );
    const incomplete = headers.get("x-pilotlight-incomplete") === "true";
    return { ...singlesOf(message, { from, until }), word: of === SPANS ? "span" : "profile", incomplete };
  },
  ({ of, type, selected }) => of + type + selected,
  "dropped",
);
