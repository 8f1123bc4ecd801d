/** Light, dark or high contrast; the choice is kept in this browser. index.html applies it before the first paint. */
import { signal } from "@preact/signals";
import { store } from "./storage.ts";

export type Theme = "auto" | "light" | "dark" | "contrast";

const KEY = "pilotlight-theme";
export const THEMES: Theme[] = ["auto", "light", "dark", "contrast"];

export const theme = signal<Theme>(THEMES.find((name) => name === document.documentElement.dataset.theme) ?? "auto");
/** Grows when colours may have changed, also by the system's own setting. */
export const colours = signal(0);

for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"]) {
  matchMedia(query).addEventListener("change", () => colours.value++);
}

export function applyTheme(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset.theme = next;
  colours.value++;
}

export function nextTheme(): void {
  applyTheme(THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]);
  store(KEY, theme.value);
}

/** Resolved colour of a token: what canvas drawing needs. */
export function readToken(token: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${token})`;
  // Where the system forces its colours, text would have those: the token's own are asked for.
  probe.style.setProperty("forced-color-adjust", "none");
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
