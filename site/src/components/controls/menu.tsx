import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  label: ComponentChildren;
  title: string;
  testid?: string;
  class?: string;
  /** The panel; `close` ends it, with focus back on the button. */
  children: (close: () => void) => ComponentChildren;
}

/** A button with a panel under it. Escape and a click elsewhere close it. */
export function Menu({ label, title, testid, children, ...props }: Props) {
  const open = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const close = () => {
    open.value = false;
    root.current?.querySelector("button")?.focus();
  };
  useLayoutEffect(() => {
    const panel = root.current?.querySelector<HTMLElement>(".menu-panel");
    if (!open.value || !panel) return;
    keepInside(panel);
    panel.querySelector<HTMLElement>(":is(input, select, button)")?.focus();
    const away = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) open.value = false;
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      close();
    };
    const stop = new AbortController();
    document.addEventListener("pointerdown", away, { signal: stop.signal });
    root.current?.addEventListener("keydown", onKey, { signal: stop.signal });
    return () => stop.abort();
  }, [open.value]);
  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        class={props.class ?? "control"}
        title={title}
        aria-haspopup="dialog"
        aria-expanded={open.value}
        data-testid={testid}
        onClick={() => (open.value = !open.value)}
      >
        {label}
      </button>
      {open.value && (
        <div class="menu-panel" role="dialog" aria-label={title}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

/** Moves a panel into the window, wherever its button has come to stand. */
function keepInside(panel: HTMLElement): void {
  const air = 8;
  const { left, right, top } = panel.getBoundingClientRect();
  const shift = left < air ? air - left : Math.min(0, innerWidth - air - right);
  panel.style.translate = `${shift}px 0`;
  panel.style.maxHeight = `max(160px, ${innerHeight - top - air}px)`;
}
