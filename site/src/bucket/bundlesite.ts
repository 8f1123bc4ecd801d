/** The zip of a bundle → a zip with the pages around it, or one page with the bundle in it. */
import { FileError } from "../files/source.ts";
import { BundleSite } from "../wasm/bucket/pilotlight.js";
import type { Made, SiteForm } from "./protocol.ts";

/** Pages that are fetched at a time. */
const AT_ONCE = 6;

/** `pages` is where the site is, with a slash at the end. */
export async function makeSite(
  bundle: Uint8Array<ArrayBuffer>,
  form: SiteForm,
  pages: URL,
  signal: AbortSignal,
): Promise<Made> {
  const get = async (name: string) => {
    const response = await fetch(new URL(name, pages), { signal });
    if (!response.ok)
      throw new FileError(`A file of this site is missing: the host answers ${response.status}.`, [response.url]);
    return new Uint8Array(await response.arrayBuffer());
  };
  const text = async (name: string) => new TextDecoder().decode(await get(name));
  const template = form === "html" ? await text("explorer.html") : "";
  const names = form === "zip" ? (JSON.parse(await text("files.json")) as string[]) : [];
  const files = new Map<string, Uint8Array>();
  const queue = names.values();
  const take = async () => {
    for (const name of queue) files.set(name, await get(name));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  const site = BundleSite.read(bundle);
  const name = `${site.name}.${form}`;
  if (form === "html") return { name, bytes: site.page(template) as Uint8Array<ArrayBuffer> };
  // In one order, so that the same bundle gives the same bytes.
  for (const file of names) site.add_page(file, files.get(file) ?? new Uint8Array());
  return { name, bytes: site.zip() as Uint8Array<ArrayBuffer> };
}
