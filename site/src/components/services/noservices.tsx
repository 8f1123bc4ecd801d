import { useEffect } from "preact/hooks";
import { catalogNote } from "../../bucket/published.ts";
import { isEmpty, waitForProfiles } from "../../demo/waitforprofiles.ts";
import { filling } from "../../state/page/demodata.ts";
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
  const withServer = placeOf("base") === "";
  useEffect(() => (withServer ? waitForProfiles() : undefined), [withServer]);
  const isUnknown = withServer && isEmpty.value === null;
  const whole = base.from === range.from || (withServer && isEmpty.value === true);
  const old = catalogNote(placeOf("base"), span.value.until, Date.now());
  // What it says depends on the answer, and nothing is to jump.
  if (isUnknown && !whole) return null;
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
      {withServer && (
        <>
          <p>Send profiles from your program:</p>
          <Snippets />
          {(isEmpty.value || filling.value) && <FirstProfile />}
        </>
      )}
    </div>
  );
}
