import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Debounce } from "../../settled.ts";
import { go, route } from "../../state/url/router.ts";
import { Icon } from "./icon.tsx";

/** How long typing rests before the search runs. */
const REST_MILLIS = 120;

/** The page's search, which the URL keeps; its result stands beside the field. */
export function SearchField(props: {
  label: string;
  placeholder: string;
  onEnter?: (back: boolean) => void;
  children: ComponentChildren;
}) {
  const { label, placeholder, onEnter, children } = props;
  const input = useRef<HTMLInputElement>(null);
  const typing = useRef(new Debounce());
  const text = searched();
  // The field follows the URL, but never under the hands of someone typing.
  useLayoutEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = text;
  }, [text]);
  const apply = () => {
    typing.current.clear();
    const search = input.current?.value;
    if (search !== undefined && search !== searched()) go({ search }, "replace");
  };
  return (
    <search class="search">
      <Icon name="search" />
      <input
        id="search"
        ref={input}
        type="search"
        placeholder={placeholder}
        aria-label={label}
        data-testid="search"
        spellcheck={false}
        autocomplete="off"
        defaultValue={text}
        onInput={() => typing.current.set(apply, REST_MILLIS)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            apply();
            onEnter?.(event.shiftKey);
          } else if (event.key === "Escape") {
            event.preventDefault();
            event.currentTarget.value = "";
            apply();
            event.currentTarget.blur();
          }
        }}
      />
      <output class="search-result" data-testid="search-result" aria-live="polite">
        {children}
      </output>
    </search>
  );
}

function searched(): string {
  return "search" in route.value ? route.value.search : "";
}
