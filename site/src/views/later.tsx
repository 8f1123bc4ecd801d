import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { reportFailure } from "../state/page/failure.ts";

/** A view whose code is loaded when it is looked at first. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | null>(null);
  return function Later(props: Props) {
    useEffect(() => {
      if (loaded.peek()) return;
      void load().then(
        (view) => (loaded.value = view),
        (failure) => reportFailure(failure, "load this view"),
      );
    }, []);
    const View = loaded.value;
    return View && <View {...props} />;
  };
}
