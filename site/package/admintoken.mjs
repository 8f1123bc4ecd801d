/** The first administrator's token: shown once, and known to the server by its SHA-256 only. */
import { createHash, randomBytes } from "node:crypto";
import { commandName } from "./options.mjs";

/** The variable of the server that holds the digest. */
export const DIGEST_VARIABLE = "ADMIN_TOKEN_SHA256";

/** A token, and its digest in hex. */
export function makeToken() {
  const text = `plt_${randomBytes(32).toString("base64url")}`;
  return { text, digest: createHash("sha256").update(text).digest("hex") };
}

/** Shows the token of a server that will be at this URL, with what to do next. */
export function nextSteps({ text }, url) {
  return `The administrator's token, which is shown only once:

    ${text}

Next:
1. Create a token that may only push, for the agents of one tenant. The command asks for the token above:
     ${commandName()} token create --url ${url} --tenant anonymous --scope push
2. Set up an agent. This example is for Go; other agents need the same address, user and password:
     pyroscope.Start(pyroscope.Config{ApplicationName: "my.app", ServerAddress: "${url}", BasicAuthUser: "anonymous", BasicAuthPassword: "THE PUSH TOKEN"})
3. Open the page, which asks for a token once:
     ${url}/`;
}
