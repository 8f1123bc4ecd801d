import type { ServiceType } from "../../api.ts";
import { quietWords, trend } from "../../format/trend.ts";
import { isGauge, typeLabel, typeParts } from "../../format/type.ts";
import { formatExact, formatValue, plural } from "../../format/value.ts";
import { wholeSpan } from "../../state/query/place.ts";
import { span } from "../../state/query/services.ts";
import "../../state/query/findsilence.ts";
import { silenceOf } from "../../state/query/silence.ts";
import { typeChanges, types } from "../../state/query/typetimelines.ts";
import { exploreRoute, NO_FOCUS } from "../../state/url/router.ts";
import { drawnSeries, smallPieces } from "../../time/drawn.ts";
import { quietMillis, type Silence } from "../../time/quiet.ts";
import { partIn } from "../../time/range.ts";
import { stepsSpan } from "../../time/series.ts";
import { linkTo } from "../controls/link.ts";
import { Sparkline } from "../controls/sparkline.tsx";
import { ChangeText, changeTitle, formatMoment, NoChange, versionName } from "../services/cardchange.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import { NothingHere } from "./nothinghere.tsx";
import "../../style/typespanel.css";

/** Every profile type of the service over time, as cards that lead to its profile. */
export function TypesPanel() {
  const { state, value, problem } = types.value;
  return (
    <section aria-label="Profile types" data-testid="types-panel" data-state={state}>
      {problem && <RetryNote problem={problem} />}
      {value && value.length > 0 && (
        <ul class="type-cards">
          {value.map((type) => (
            <li key={type.id}>
              <TypeCard type={type} />
            </li>
          ))}
        </ul>
      )}
      {!problem && state === "ready" && value?.length === 0 && (
        <NothingHere>No profiles of any type in this range.</NothingHere>
      )}
      {!problem && state !== "ready" && !value?.length && <Placeholders />}
    </section>
  );
}

function TypeCard({ type }: { type: ServiceType }) {
  const gauge = isGauge(type.id);
  const { unit } = typeParts(type.id);
  const series = drawnSeries(type, gauge);
  const known = typeChanges.value.value?.[type.id];
  const [found, version] = known?.kind === "version" ? [null, known] : [known, null];
  const { spans, traces, window } = exploreRoute.value;
  const changed = trend(type, gauge, window ?? span.value, wholeSpan("base")?.from);
  const isNow = exploreRoute.value.base.until === "now" && !window;
  const quiet = isNow ? quietOf(type) : null;
  const target = { ...exploreRoute.value, ...NO_FOCUS, spans, traces, type: type.id, panel: "profile" as const };
  const exact = gauge ? `Average of ${plural(type.profiles, "snapshot")}` : formatExact(type.total, unit);
  return (
    <a
      class="card type-card"
      {...linkTo(target)}
      aria-current={type.id === exploreRoute.value.type ? "true" : undefined}
      data-testid="type-card"
      data-type={type.id}
    >
      <span class="card-name" title={type.id}>
        {typeLabel(type.id)}
      </span>
      <Sparkline
        pieces={smallPieces(series, !isNow || quiet !== null)}
        marked={found && found.kind !== "trend" ? partIn(stepsSpan(series), found) : undefined}
      />
      <span class="card-row">
        <span class="card-total" title={exact} data-testid="type-total">
          {formatValue(series.total, unit)}
          {gauge && <small> average</small>}
        </span>
        {quiet && <span class="card-type">{quietWords(quiet)}</span>}
        {version && (
          <span class="card-type">
            {versionName(version)} since {formatMoment(version.from, version.step)}
          </span>
        )}
        <span class="card-change" title={found ? changeTitle(found) : changed?.title} data-testid="type-change">
          {found ? (
            <ChangeText found={found} />
          ) : known === undefined || changed?.known ? (
            changed?.text
          ) : (
            <NoChange type={type} from={(window ?? span.value).from} />
          )}
        </span>
      </span>
    </a>
  );
}

/** With filters, what is known of all says nothing. */
function quietOf(type: ServiceType): Silence | null {
  const { service, base } = exploreRoute.value;
  if (base.filters.length === 0) return silenceOf(service, type.id);
  const millis = quietMillis(type, span.value.until);
  return millis > 0 ? { millis, step: type.step } : null;
}

function Placeholders() {
  return (
    <ul class="type-cards" role="status" aria-label="Reading the timeline of each profile type">
      {[0, 1, 2, 3].map((i) => (
        <li key={i} class="card placeholder type-card" aria-hidden="true" />
      ))}
    </ul>
  );
}
