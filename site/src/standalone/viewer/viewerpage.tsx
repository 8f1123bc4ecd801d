/** A page that stands alone: a file with a profile in it, which opens from a disk and connects to nothing. */
import { effect } from "@preact/signals";
import { bytesOf } from "../../core/encoding.ts";
import type { Embedded } from "../../export/page.ts";
import { FilePage } from "../../pages/file.tsx";
import { start } from "../../start.tsx";
import { loadFiles } from "../../state/profile/files.ts";
import { openFiles } from "../../state/profile/opening.ts";
import { parsePage } from "../../state/url/route.ts";
import { go } from "../../state/url/router.ts";

effect(loadFiles);
start(FilePage);
void openEmbedded();

async function openEmbedded(): Promise<void> {
  const text = document.getElementById("embedded")?.textContent;
  if (!text) return;
  const { view, profiles } = JSON.parse(text) as Embedded;
  const seen = parsePage("file", location.search || view);
  await openFiles(profiles.map(({ name, base64 }) => new File([bytesOf(base64)], name)));
  // What is opened is seen as a whole at first.
  go(seen, "replace");
}
