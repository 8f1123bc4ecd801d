import { useLayoutEffect, useRef } from "preact/hooks";
import { ROOT } from "../core/types.ts";
import { baseName } from "../flame/framelabel.ts";
import { copyText } from "../state/page/clipboard.ts";
import { select, tree } from "../state/profile/focus.ts";
import { hasLines } from "../state/profile/listing.ts";
import { copyStack, frameMenu } from "../state/profile/menuframe.ts";
import { group, lookAt, sandwichOf, stepOn, takesSteps } from "../state/profile/stepchanges.ts";
import { comparisonHere } from "../state/query/comparison.ts";
import { placeOf } from "../state/query/place.ts";
import { go, route } from "../state/url/router.ts";
import { ACTIONS, recordFrame, zoomHere } from "./frameactions.ts";
import "../style/framemenu.css";

interface Item {
  label: string;
  /** The key that does the same on the picture. */
  key?: string;
  act: () => unknown;
}

/** What can be done with a frame, at the pointer. Arrows move, Enter does it, Escape closes. */
export function FrameMenu() {
  const menu = useRef<HTMLDivElement>(null);
  /** Whether a press began in the menu: the finger that opened it is lifted over it, which presses nothing. */
  const pressed = useRef(false);
  const open = frameMenu.value?.tree === tree.value?.id ? frameMenu.value : null;
  useLayoutEffect(() => {
    const element = menu.current;
    pressed.current = false;
    if (!open || !element) return;
    const from = document.activeElement as HTMLElement | null;
    place(element, open.x, open.y);
    element.querySelector("button")?.focus();
    const stop = new AbortController();
    const { signal } = stop;
    const away = (event: Event) => {
      if (!element.contains(event.target as Node)) close();
    };
    document.addEventListener("pointerdown", away, { signal, capture: true });
    addEventListener("blur", close, { signal });
    addEventListener("resize", close, { signal });
    return () => {
      stop.abort();
      // What was done may have moved the focus already.
      if (document.activeElement === document.body || element.contains(document.activeElement)) from?.focus();
    };
  }, [open]);
  useLayoutEffect(() => {
    if (!open) close();
  }, [open]);
  useLayoutEffect(() => close, []);
  if (!open) return null;
  const { detail } = open;
  return (
    <div
      ref={menu}
      class="menu-list frame-menu"
      role="menu"
      tabIndex={-1}
      aria-label={detail.name}
      data-testid="frame-menu"
      onKeyDown={onKey}
      onPointerDown={() => (pressed.current = true)}
      onContextMenu={(event) => event.preventDefault()}
    >
      <p title={detail.name}>{baseName(detail.name)}</p>
      {itemsOf(detail).map(({ label, key, act }) => (
        <button
          type="button"
          role="menuitem"
          key={label}
          onClick={({ detail }) => {
            // Keys press without a pointer.
            if (detail > 0 && !pressed.current) return;
            close();
            act();
          }}
        >
          {label}
          {key && <kbd>{key}</kbd>}
        </button>
      ))}
    </div>
  );
}

function itemsOf({ node, name, path }: NonNullable<typeof frameMenu.value>["detail"]): Item[] {
  const zoom = { label: "Zoom", key: "Enter", act: () => zoomHere(node) };
  if (node === ROOT) return [zoom];
  const onServer = route.value.page === "explore" && placeOf("base") === "";
  const steps = ACTIONS.map(({ verb, label, key }): Item => ({ label, key, act: () => stepOn(verb, name) }));
  return [
    zoom,
    ...(takesSteps.value ? steps : []),
    { label: "Sandwich: callers and callees", key: "b", act: () => sandwichOf(name) },
    { label: "Search", act: () => go({ search: name }) },
    ...(hasLines.value
      ? [{ label: "Source lines", key: "7", act: () => void select(node).then(() => lookAt("lines")) }]
      : []),
    ...(onServer && group.value === "function"
      ? [
          { label: "Over time and in all services", act: () => go({ panel: "function", func: name }) },
          { label: "Record as a metric…", act: () => recordFrame(name, path) },
        ]
      : []),
    ...(onServer ? [{ label: "Compare", act: () => go({ ...comparisonHere().target, search: name }) }] : []),
    { label: "Copy the name", key: "c", act: () => void copyText(name, "the name") },
    { label: "Copy the stack", key: "C", act: () => void copyStack({ path }) },
  ];
}

function close(): void {
  frameMenu.value = null;
}

function onKey(event: KeyboardEvent): void {
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (next !== undefined) buttons[(next + buttons.length) % buttons.length].focus();
  else if (event.key === "Escape" || event.key === "Tab") close();
  else {
    // Enter and Space press the button; a letter does what it does on the picture.
    if (event.key === "Enter" || event.key === " ") event.stopPropagation();
    else if (event.key.length === 1) close();
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Where it is asked for, but inside of the window. */
function place(element: HTMLElement, x: number, y: number): void {
  const air = 8;
  const { width, height } = element.getBoundingClientRect();
  element.style.left = `${Math.max(air, Math.min(x, innerWidth - width - air))}px`;
  element.style.top = `${Math.max(air, Math.min(y, innerHeight - height - air))}px`;
}
