import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { trackWork } from "../settled.ts";
import { reportFailure } from "../state/page/failure.ts";

/** A component that is fetched when it is first shown: few see it, and the first page is small. Until then there is nothing. */
export function lazy<Props extends object>(fetch: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const fetched = signal<{ component: ComponentType<Props> } | null>(null);
  let asked = false;
  return function Lazy(props: Props) {
    if (!asked) {
      asked = true;
      void trackWork(fetch()).then(
        (component) => (fetched.value = { component }),
        (failure) => reportFailure(failure, "load this part of the page"),
      );
    }
    const Component = fetched.value?.component;
    return Component ? <Component {...props} /> : null;
  };
}
