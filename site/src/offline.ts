/** The pages open without a network once they were open with one: a service worker keeps their files. */
import { base } from "./base.ts";

/** Pages that no manifest belongs to, as those of the npm package, are not kept. */
export function startOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator) || !document.querySelector("link[rel=manifest]")) return;
  // Where the browser or the host has none, the pages need the network, and nothing else is different.
  const start = () => navigator.serviceWorker.register(new URL("sw.js", base)).catch(() => {});
  // What is shown first goes first.
  if (document.readyState === "complete") void start();
  else addEventListener("load", start, { once: true });
}
