// Takes the variables that the environment lacks out of the worker's: workerd binds them to null, and on
// Cloudflare there is no null.

import { env } from "cloudflare:workers";

for (const [name, value] of Object.entries(env)) {
  if (value === null) delete env[name];
}
