/**
 * This page in the frame of another: what the page around it asks, and what it hears. Both are of one origin, or nothing is
 * said. The other side is package/element.mjs.
 */
import { effect } from "@preact/signals";
import { applyTheme, THEMES } from "./state/page/theme.ts";
import { closeFile, files } from "./state/profile/files.ts";
import { selectedDetail, tree } from "./state/profile/focus.ts";
import { failures, openFiles } from "./state/profile/opening.ts";
import { lookAt } from "./state/profile/stepchanges.ts";
import { parsePage } from "./state/url/route.ts";
import { fileRoute, go } from "./state/url/router.ts";

interface Open {
  pilotlight: "open";
  name: string;
  bytes: ArrayBuffer;
}

interface Show {
  pilotlight: "show";
  view: string;
  type: string;
  theme: string;
}

export function startEmbedded(): void {
  addEventListener("message", ({ data, source, origin }: MessageEvent<Open | Show | null>) => {
    if (source !== parent || origin !== location.origin) return;
    if (data?.pilotlight === "open") void open(data);
    if (data?.pilotlight === "show") show(data);
  });
  saySelected();
  say("ready", {});
}

function say(what: string, more: object): void {
  parent.postMessage({ pilotlight: what, ...more }, location.origin);
}

async function open({ name, bytes }: Open): Promise<void> {
  for (const { info } of files.peek()) closeFile(info.id);
  await openFiles([new File([bytes], name)]);
  const [problem] = failures.peek();
  if (problem) return say("failed", { message: `${problem.title}: ${problem.meaning}` });
  const [file] = files.peek();
  if (!file) return;
  const types = file.info.types.map(({ type, unit, total }) => ({ type, unit, total }));
  say("opened", { profile: { name, format: file.info.format, types } });
}

function show({ view, type, theme }: Show): void {
  applyTheme(THEMES.find((name) => name === theme) ?? "auto");
  const { view: wanted } = parsePage("file", `?${new URLSearchParams({ v: view })}`);
  if (wanted !== fileRoute.peek().view) lookAt(wanted);
  if (type !== fileRoute.peek().type) go({ type });
}

function saySelected(): void {
  let isSelected = false;
  effect(() => {
    const { state, value } = selectedDetail.value;
    if (state === "loading") return;
    const detail = value?.detail;
    if (detail) {
      const { name, file, line, module, self, total, fraction, path } = detail;
      const frame = { name, file, line, module, self, total, share: fraction, unit: tree.peek()?.unit ?? "" };
      say("selected", { frame: { ...frame, path: path.map((step) => step.name) } });
    } else if (isSelected) say("selected", { frame: null });
    isSelected = detail !== undefined;
  });
}
