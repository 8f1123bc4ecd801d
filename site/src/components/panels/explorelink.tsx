import type { ComponentChildren } from "preact";
import type { RouteOf } from "../../state/url/route.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { linkTo } from "../controls/link.ts";

/** A link to another part of the page of a service. */
export function ExploreLink(props: {
  patch: Partial<RouteOf<"explore">>;
  class?: string;
  testid?: string;
  children: ComponentChildren;
}) {
  const target = { ...exploreRoute.value, ...props.patch };
  return (
    <a class={props.class} {...linkTo(target)} data-testid={props.testid}>
      {props.children}
    </a>
  );
}
