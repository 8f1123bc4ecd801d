import { useRef } from "preact/hooks";
import type { Service } from "../../api.ts";
import { quietWords, trend } from "../../format/trend.ts";
import { isGauge, typeLabel, typeParts } from "../../format/type.ts";
import { formatValue, plural } from "../../format/value.ts";
import { toggleFavourite } from "../../state/page/favourites.ts";
import { placeOf, wholeSpan } from "../../state/query/place.ts";
import { changeOf, looking, newVersionOf } from "../../state/query/servicechanges.ts";
import { shownType } from "../../state/query/serviceorder.ts";
import { span } from "../../state/query/services.ts";
import { silenceOf } from "../../state/query/silence.ts";
import { initialRoute } from "../../state/url/route.ts";
import type { Side } from "../../state/url/values.ts";
import { drawnSeries, smallPieces } from "../../time/drawn.ts";
import { partIn } from "../../time/range.ts";
import { stepsSpan } from "../../time/series.ts";
import { Icon } from "../controls/icon.tsx";
import { linkTo } from "../controls/link.ts";
import { Sparkline } from "../controls/sparkline.tsx";
import { lazy } from "../lazy.tsx";

const CardChange = lazy(() => import("./cardchange.tsx").then((module) => module.CardChange));
const NoChange = lazy(() => import("./cardchange.tsx").then((module) => module.NoChange));
const CardVersion = lazy(() => import("./cardchange.tsx").then((module) => module.CardVersion));

/** A service with its type over time. The whole card is the link, but for the star. */
export function ServiceCard(props: { service: Service; type: string; range: Side; favourite: boolean }) {
  const { service, type, range, favourite } = props;
  const shown = shownType(service, type);
  const target = { ...initialRoute("explore"), service: service.name, type: shown?.id ?? "", base: range };
  const { unit } = typeParts(shown?.id ?? "");
  const gauge = isGauge(shown?.id ?? "");
  const series = shown && drawnSeries(shown, gauge);
  const changed = shown && trend(shown, gauge, span.value, wholeSpan("base")?.from);
  const found = shown && changeOf(service.name, shown.id);
  const version = shown && newVersionOf(service.name, shown.id);
  const quiet = shown && silenceOf(service.name, shown.id);
  return (
    <li class="card service-card" data-testid="service-card">
      <div class="card-row">
        <a class="card-name" title={service.name} {...linkTo(target)}>
          {service.name}
        </a>
        <span class="card-type">{typeLabel(shown?.id ?? "")}</span>
        <Star name={service.name} pressed={favourite} />
      </div>
      <Sparkline
        pieces={series ? smallPieces(series, range.until !== "now" || quiet !== null) : []}
        marked={found && found.kind !== "trend" && series ? partIn(stepsSpan(series), found) : undefined}
      />
      <div class="card-row">
        <span
          class="card-total"
          title={shown && gauge ? `Average of ${plural(shown.profiles, "snapshot")}` : undefined}
        >
          {formatValue(series?.total ?? 0, unit)}
          {gauge && <small> average</small>}
        </span>
        {quiet && (
          <span class="card-type" data-testid="card-quiet">
            {quietWords(quiet)}
          </span>
        )}
        {version && <CardVersion service={service.name} found={version} range={range} />}
        {found ? (
          <CardChange service={service.name} found={found} range={range} />
        ) : (
          <span class="card-change" title={changed?.title} data-testid="card-change">
            {shown &&
              changed &&
              (changed.known || looking.value || placeOf("base") !== "" ? (
                changed.text
              ) : (
                <NoChange type={shown} from={span.value.from} />
              ))}
          </span>
        )}
      </div>
    </li>
  );
}

function Star({ name, pressed }: { name: string; pressed: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <button
      ref={button}
      type="button"
      class="control icon-only quiet star"
      aria-label={`Favorite: ${name}`}
      aria-pressed={pressed}
      title={pressed ? "Favorite, shown first" : "Show first"}
      data-testid="favourite"
      onClick={({ detail }) => {
        toggleFavourite(name);
        // The card moves, and what is moved loses the focus. By mouse (with a count of clicks) the page stays where it is.
        setTimeout(() => button.current?.focus({ preventScroll: detail > 0 }));
      }}
    >
      <Icon name="star" />
    </button>
  );
}
