import { catalogNote } from "../../bucket/published.ts";
import { placeOf } from "../../state/query/place.ts";
import { span } from "../../state/query/services.ts";
import { widest } from "../../state/query/sides.ts";
import { go, homeRoute } from "../../state/url/router.ts";
import { lazy } from "../lazy.tsx";
import { Snippets } from "../status/snippets.tsx";

const FirstProfile = lazy(() => import("./firstprofile.tsx").then((module) => module.FirstProfile));

/** No data yet: how to send some. */
export function NoServices() {
  const { base } = homeRoute.value;
  const { label, range } = widest();
  const whole = base.from === range.from;
  const old = catalogNote(placeOf("base"), span.value.until, Date.now());
  return (
    <div class="nothing" data-testid="empty">
      <h2>{whole ? "No profiles yet" : "No profiles in this range"}</h2>
      {old && <p>{old}</p>}
      {!whole && (
        <p>
          <button type="button" class="control" data-testid="widen" onClick={() => go({ base: { ...base, ...range } })}>
            {label}
          </button>
        </p>
      )}
      {placeOf("base") === "" && (
        <>
          <p>Send some from your program:</p>
          <Snippets />
          <FirstProfile />
        </>
      )}
    </div>
  );
}
