/** The Web Worker that makes one bundle: takes a slice of a bucket, and puts the pages around it. */
import { Catalog } from "../bucket/catalog.ts";
import { Host } from "../bucket/host.ts";
import { placeOf } from "../bucket/objectplace.ts";
import { afresh, described, drive } from "../bucket/reading.ts";
import init, { BundleSite, Slicer } from "../wasm/bundler/pilotlight.js";
import type { BundleReply, BundleRequest, MadeSite, SiteForm, Slice } from "./bundle.ts";

const port = self as unknown as {
  onmessage: (event: MessageEvent<BundleRequest>) => void;
  postMessage(reply: BundleReply, transfer?: Transferable[]): void;
};

/** Pages that are fetched at a time. */
const AT_ONCE = 6;
/** Whoever wants no bundle any more ends this worker. */
const { signal } = new AbortController();

port.onmessage = async ({ data: { of, form, pages } }) => {
  try {
    await init();
    const zip = "place" in of ? await afresh(() => slice(of)) : of;
    const made = zip && (await siteOf(zip, form, new URL(pages)));
    port.postMessage({ made }, made ? [made.bytes.buffer] : []);
  } catch (failure) {
    port.postMessage(described(failure));
  }
};

async function slice({ place, query, from, until, when }: Slice): Promise<Uint8Array<ArrayBuffer> | null> {
  const found = await placeOf(new URL(place));
  const [slicer, host] = [new Slicer(), new Host(found)];
  const catalog = new Catalog(found, host, (name, bytes) => slicer.add_day(name, bytes));
  await catalog.cover(from);
  const slice = slicer.slice(query, from, until, undefined, when);
  await drive(slice, host, signal, () => {});
  return (slice.finish() as Uint8Array<ArrayBuffer> | undefined) ?? null;
}

async function siteOf(zip: Uint8Array<ArrayBuffer>, form: SiteForm, pages: URL): Promise<MadeSite> {
  const get = async (name: string) => {
    const response = await fetch(new URL(name, pages));
    if (!response.ok) throw new Error(`${response.url}: the host returned ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const text = async (name: string) => new TextDecoder().decode(await get(name));
  const site = BundleSite.read(zip);
  const name = `${site.name}.${form}`;
  if (form === "html") return { name, bytes: site.page(await text("explorer.html")) as Uint8Array<ArrayBuffer> };
  const names = JSON.parse(await text("files.json")) as string[];
  const files = new Map<string, Uint8Array>();
  const queue = names.values();
  const take = async () => {
    for (const name of queue) files.set(name, await get(name));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  // In one order, so that the same bundle gives the same bytes.
  for (const file of names) site.add_page(file, files.get(file) ?? new Uint8Array());
  return { name, bytes: site.zip() as Uint8Array<ArrayBuffer> };
}
