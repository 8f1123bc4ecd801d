// workerd's configuration: modules and variables are filled into xtask/selfhost/pilotlight.capnp.

/** What `wrangler.toml` does not name: secrets, and what `entry.js` alone reads. */
const MORE_VARIABLES = [
  "ADMIN_TOKEN_SHA256",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "S3_SESSION_TOKEN",
  "SOURCE_TOKEN",
  "MODEL_TOKEN",
  "REMOTE_WRITE_TOKEN",
  "SCHEDULE_SECONDS",
  "SENDER_HEADER",
];

/**
 * Fills the template with the modules, the first of which is what answers, and with the compatibility date and the variables of
 * `wrangler.toml`: those with a text for a value, also in comments. The kind of bucket is not among them, since there is one here.
 */
export function configurationOf(template, wrangler, modules) {
  const [, date] = /^compatibility_date = "(.*)"$/m.exec(wrangler) ?? [];
  if (!date) throw new Error("wrangler.toml has no compatibility_date");
  const named = [...wrangler.matchAll(/^(?:# )?([A-Z0-9_]+) = "/gm)].map(([, name]) => name);
  const variables = [...new Set([...named, ...MORE_VARIABLES])].filter((name) => name !== "BUCKET_BACKEND").sort();
  const lines = {
    compatibility_date: date,
    modules: modules.map((name) => `    (name = "${name}", ${kindOf(name)} = embed "worker/${name}"),`).join("\n"),
    variables: variables.map((name) => `    (name = "${name}", fromEnvironment = "${name}"),`).join("\n"),
  };
  return template.replace(/@([a-z_]+)@/g, (_, name) => lines[name]);
}

function kindOf(name) {
  return name.endsWith(".wasm") ? "wasm" : "esModule";
}
