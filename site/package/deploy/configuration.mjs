/**
 * The configuration of a deployment: `wrangler.toml` with another name, bucket or plan. wrangler has environments for this, but none
 * of them takes over bindings and variables: each would repeat the whole file, and append its name to the worker's.
 */
import { PRESETS } from "./settings.mjs";

/** `wrangler.toml` for these settings. `main` and `pages` are where the worker and the site are. */
export function configure(wrangler, { main, pages }, name, { preset, bucket, domain }) {
  const quoted = JSON.stringify;
  // A binding has a name, too.
  let text = replace(wrangler, 'name = "pilotlight"', `name = ${quoted(name)}`);
  const values = {
    main: quoted(main),
    directory: quoted(pages),
    bucket_name: quoted(bucket),
    service: quoted(name),
    ...PRESETS[preset],
  };
  for (const [key, value] of Object.entries(values)) text = replace(text, `${key} = `, `${key} = ${value}`);
  if (!domain) return text;
  // Before the first table, where top-level names belong.
  const route = `\nworkers_dev = false\nroutes = [{ pattern = "${domain}", custom_domain = true }]\n`;
  return text.replace(/\n\[/, () => `${route}\n[`);
}

/** Replaces the one line that begins so. */
export function replace(text, start, by) {
  const lines = text.split("\n");
  const found = lines.filter((line) => line.startsWith(start)).length;
  if (found !== 1)
    throw new Error(`wrangler.toml must contain exactly one line that begins with \`${start}\` (found ${found})`);
  return lines.map((line) => (line.startsWith(start) ? by : line)).join("\n");
}
