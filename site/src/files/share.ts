/** A profile that somebody has put on the server for a while, as a link to /file names it. */
import { askServer, bodyOf } from "../api.ts";
import { ApiError, noServer } from "../apierror.ts";
import { FileError, MAX_FILE_BYTES, readStream, type Source } from "./source.ts";

const FORM = /^(\d{5})-[0-9a-f]{32}$/;
const DAY = 86_400_000;
const ANOTHER = "Ask whoever sent you the link for another one.";

/** "22 Dec 2026 (UTC)": the last day on which a share is there; empty for what is no id. */
export function lastDay(id: string): string {
  const [, day] = FORM.exec(id) ?? [];
  if (!day) return "";
  const date = new Date(Number(day) * DAY);
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })} (UTC)`;
}

/** `address` is where it stands among what is open. */
export function shareSource(id: string, address: string): Source {
  const source: Source = {
    name: "shared profile",
    size: 0,
    stage: "fetching",
    address,
    async read(signal, progress) {
      // What is no id may be any path.
      if (!FORM.test(id))
        throw new FileError("This link is incomplete.", ["Copy the link again: some programs cut long links."]);
      const response = await askServer(`shares/${id}`, {}, signal).catch((failure) => {
        throw (failure instanceof ApiError && refusal(failure, id)) || failure;
      });
      const { headers } = response;
      // A static host may answer any path with its index page.
      if (headers.get("content-type") !== "application/octet-stream") throw refusal(noServer(), id);
      source.name = nameOf(headers.get("content-disposition") ?? "") || source.name;
      const size = headers.has("content-encoding") ? 0 : Number(headers.get("content-length"));
      return readStream(bodyOf(response), MAX_FILE_BYTES, signal, (bytes) => progress(bytes, bytes <= size ? size : 0));
    },
  };
  return source;
}

/** What an answer means for who followed the link; undefined where the link is not at fault. */
function refusal({ kind, status, token }: ApiError, id: string): FileError | undefined {
  if (kind === "absent")
    return new FileError("This address has no Pilotlight server, so it has no shared profiles.", [
      "Open the link at its original address.",
    ]);
  if (token)
    return new FileError(token === "missing" ? "The server needs a token." : "The server does not accept this token.", [
      "Reload the page, and enter a token with the read scope.",
      "If you have none, ask an administrator of this server for one.",
    ]);
  if (status === 404)
    return new FileError("Profile not found: it was deleted or belongs to another tenant.", [ANOTHER]);
  if (status === 410)
    return new FileError(`This link has expired: it was valid until the end of ${lastDay(id)}.`, [ANOTHER]);
  return undefined;
}

/** The name in a header Content-Disposition, as the server writes it. */
function nameOf(disposition: string): string {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/.exec(disposition) ?? [];
  return encoded ? decodeURIComponent(encoded) : "";
}
