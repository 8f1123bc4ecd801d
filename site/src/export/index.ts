/** What is seen, as files. This code is loaded when somebody wants one. */
import type { JsonFormat } from "../core/imports.ts";
import { core } from "../core/index.ts";
import { download } from "../state/page/download.ts";
import { type Ready, shown } from "../state/profile/shown.ts";
import { sourcesOf } from "../state/profile/sources.ts";
import { svgOf } from "./drawing.ts";
import { pageOf } from "./page.ts";
import { pngOf } from "./png.ts";
import { csvOf } from "./tablecsv.ts";

export type Form = "png" | "svg" | "csv" | "html" | "pprof" | "folded" | JsonFormat;

const EXTENSIONS: Record<Form, string> = {
  png: "png",
  svg: "svg",
  csv: "csv",
  html: "html",
  pprof: "pb.gz",
  folded: "folded.txt",
  speedscope: "speedscope.json",
  flamebearer: "flamebearer.json",
};

/** `steps` are taken from a profile before it is written. */
export async function exportAs(form: Form, steps: string[]): Promise<void> {
  const answer = shown.peek();
  if (answer.state !== "ready") return;
  download(await make(form, answer, steps), `${fileName(titleOf(form, answer))}.${EXTENSIONS[form]}`);
}

/** The title, and for a chart's picture and table, which are of one of several threads, that thread. */
function titleOf(form: Form, { title, threads = [], thread }: Pick<Ready, "title" | "threads" | "thread">): string {
  const isDrawn = form === "png" || form === "svg" || form === "csv";
  return isDrawn && threads.length > 1 && thread ? `${title} · ${thread}` : title;
}

async function make(form: Form, answer: Ready, steps: string[]): Promise<Blob> {
  const { tree } = answer;
  const sources = sourcesOf(answer);
  switch (form) {
    case "png":
      return pngOf(tree, titleOf(form, answer));
    case "svg":
      return svgOf(tree, titleOf(form, answer));
    case "csv":
      return csvOf(tree);
    case "html":
      return pageOf(tree, sources, steps);
    case "pprof":
      return new Blob([await core.exportPprof(sources[0].id, steps)]);
    case "folded":
      return new Blob([await core.exportFolded(sources[0].id, steps)], { type: "text/plain" });
    case "speedscope":
    case "flamebearer":
      return new Blob([await core.exportJson(sources[0].id, form, steps)], { type: "application/json" });
  }
}

/** A title as the name of a file, without what says that it was a profile. */
export function fileName(title: string): string {
  return title.replace(/\.(pb|gz|pprof|prof|json|jfr|folded|txt)\b/g, "").replace(/[^\w.-]+/g, "-") || "profile";
}
