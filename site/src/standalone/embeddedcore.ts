/** The core of a page that stands alone: its WASM is in the page, and it runs on the page's own thread. */
import type { Core } from "../core/core.ts";
import { localCore } from "../core/local.ts";
import { loadEngine } from "../core/viewer.ts";
import { embeddedEngine } from "./engine.ts";

export const core: Core = localCore(embeddedEngine("viewer-engine").then(loadEngine));
