import { useEffect } from "preact/hooks";
import type { Service } from "../../api.ts";
import { address } from "../../base.ts";
import { namePattern } from "../../format/namepattern.ts";
import { typeLabel } from "../../format/type.ts";
import { plural } from "../../format/value.ts";
import { trackWork } from "../../settled.ts";
import { favourites } from "../../state/page/favourites.ts";
import { placeOf } from "../../state/query/place.ts";
import { lastingChange } from "../../state/query/servicechanges.ts";
import { arranged, commonType, hasType } from "../../state/query/serviceorder.ts";
import { ended, server } from "../../state/query/services.ts";
import { go, homeRoute } from "../../state/url/router.ts";
import { formatSort, parseSort } from "../../state/url/values.ts";
import { SearchField } from "../controls/searchfield.tsx";
import { Select } from "../controls/select.tsx";
import { lazy } from "../lazy.tsx";
import { ServiceCard } from "./servicecard.tsx";

const Ended = lazy(() => import("./unlisted.tsx").then((module) => module.Ended));
const NoMatch = lazy(() => import("./unlisted.tsx").then((module) => module.NoMatch));

/** Changes are looked for on a server only. */
const ORDERS = [
  { value: "name", label: "By name" },
  { value: "-total", label: "Largest total first" },
  { value: "-delta", label: "Largest lasting increase first" },
  { value: "delta", label: "Largest lasting decrease first" },
];

/** Services as cards, searched and sorted. */
export function ServiceList({ found }: { found: Service[] }) {
  const { search, sort, base, type: named } = homeRoute.value;
  useEffect(lookForChanges, []);
  const type = named || commonType(found);
  const orders = ORDERS.filter(({ value }) => placeOf("base") === "" || !value.endsWith("delta"));
  const order = orders.find(({ value }) => value === formatSort(sort)) ?? orders[0];
  const listed = arranged(found, {
    search,
    sort: parseSort(order.value) ?? sort,
    type: named,
    favourites: favourites.value,
    changed: lastingChange,
  });
  const all = plural(found.length, "service");
  const valid = namePattern(search) !== null;
  const having = listed.filter((service) => hasType(service, named));
  const lacking = listed.slice(having.length);
  const cards = (services: Service[], testid: string) => (
    <ul class="cards" data-testid={testid}>
      {services.map((service) => (
        <ServiceCard
          key={service.name}
          service={service}
          type={type}
          range={base}
          favourite={favourites.value.has(service.name)}
        />
      ))}
    </ul>
  );
  return (
    <>
      <div class="service-tools">
        <SearchField label="Search services by name" placeholder="Search  /">
          {search.trim() === "" ? all : valid ? `${listed.length} of ${all}` : "Invalid regular expression"}
        </SearchField>
        <Select
          label="Sort services"
          testid="order"
          value={order.value}
          options={orders}
          onChange={(value) => go({ sort: parseSort(value) ?? sort }, "replace")}
        />
      </div>
      {having.length > 0 && cards(having, "services")}
      {lacking.length > 0 && (
        <>
          <h2 class="cards-title">{`${plural(lacking.length, "service")} without ${typeLabel(named)}`}</h2>
          {cards(lacking, "services-without")}
        </>
      )}
      {listed.length === 0 && <NoMatch valid={valid} />}
      {ended.value.names.length > 0 && search.trim() === "" && base.until === "now" && <Ended />}
      {server.value === "present" && placeOf("base") === "" && (
        <p class="hint pad">
          <a href={address("docs/push.html")} target="_blank" rel="noreferrer" data-testid="connect-another">
            Connect another service
          </a>
        </p>
      )}
    </>
  );
}

/** Fetched after the services. Where that fails, their cards say what they say without. */
function lookForChanges(): void {
  void trackWork(import("../../state/query/cardnews.ts")).catch(console.warn);
}
