/** What went wrong, for people: what failed, what it means, what to try; the technical text apart. */

import { ApiError } from "../apierror.ts";
import { CoreError } from "../core/core.ts";
import { FileError } from "../files/source.ts";
import { capital } from "../format/capital.ts";
import { formatBytes } from "../format/value.ts";

export interface Problem {
  title: string;
  meaning: string;
  tries: string[];
  detail: string;
}

const ASK = "Ask an administrator of this server for access.";

/** `doing` completes "Could not …". */
export function problemOf(failure: unknown, doing: string): Problem {
  const detail = failure instanceof Error ? failure.message : String(failure);
  const title = `Could not ${doing}`;
  if (failure instanceof ApiError) return { title, detail, ...serverProblem(failure) };
  if (failure instanceof FileError) return { title, detail, meaning: failure.message, tries: failure.tries };
  if (failure instanceof CoreError && failure.fatal) {
    return {
      title,
      detail,
      meaning:
        "The viewer inside this page stopped, most likely because the profile needs more memory than a browser tab has.",
      tries: [
        "Reload the page and open fewer or smaller profiles.",
        "If this happens with a small profile, please report a bug.",
      ],
    };
  }
  if (failure instanceof CoreError) return { title, detail, ...profileProblem(failure) };
  return { title, detail, meaning: "Something went wrong on this page.", tries: ["Reload the page."] };
}

function serverProblem(error: ApiError): Pick<Problem, "meaning" | "tries"> {
  if (error.kind === "network") {
    return {
      meaning: "The server did not answer.",
      tries: ["Check that the server is running and that you are online.", "Try again."],
    };
  }
  if (error.kind === "absent") {
    return {
      meaning: "This address has no Pilotlight server, only the viewer.",
      tries: [
        "Open a profile from your disk instead.",
        "Start a server with cargo xtask run.",
        "If there was a server a moment ago, reload the page: you may have to sign in.",
      ],
    };
  }
  const reason = error.reason.replace(/\.$/, "");
  const because = reason ? `: ${reason}.` : ".";
  const later = error.retryAfter > 1 ? `Try again in ${error.retryAfter} seconds.` : "Try again in a moment.";
  if (error.status >= 500) {
    return {
      meaning: "The server had an internal error.",
      tries: [later, "Try a shorter time range."],
    };
  }
  switch (error.status) {
    case 401:
      if (error.token) {
        return {
          meaning:
            error.token === "missing"
              ? "The server needs a token."
              : "The server does not accept this token: it is unknown, expired or revoked.",
          tries: [
            "Try again, and enter a token with the read scope.",
            "If you have none, ask an administrator of this server for one.",
          ],
        };
      }
      // Without a reason it is what stands in front of the server, which has a sign-in of its own.
      if (!reason)
        return {
          meaning: "You are not signed in, or your session has ended.",
          tries: ["Reload the page and sign in.", ASK],
        };
      return { meaning: `The server does not allow this${because}`, tries: [ASK] };
    case 403:
      return {
        meaning: `The server does not allow this${because}`,
        tries: reason
          ? [
              "Ask an administrator of this server for a token with the read scope.",
              "Sign out with the key icon at the top of the page, then enter that token.",
            ]
          : [ASK],
      };
    case 413:
      return {
        meaning: `The request is too large for the server${because}`,
        tries: ["Try a shorter time range.", "Choose fewer series with a filter."],
      };
    case 429:
      return {
        meaning: "The server is too busy.",
        tries: [later],
      };
    default:
      return (
        filterProblem(error.query, reason) ?? {
          meaning: reason
            ? `The server rejected the query: ${reason}.`
            : `The server rejected the query with status ${error.status}.`,
          tries: ["Check the filters and the time range."],
        }
      );
  }
}

/** What is wrong with one filter of a query; null where the server means something else. */
function filterProblem(query: string, reason: string): Pick<Problem, "meaning" | "tries"> | null {
  const [, column, wrong] = /^selector, column (\d+): (.*)$/s.exec(reason) ?? [];
  if (!query || column === undefined) return null;
  const begin = [...query]
    .slice(0, Number(column) - 1)
    .join("")
    .search(/[^{,]*$/);
  const [filter] = query.slice(begin).split(/[,}]/);
  return {
    meaning: `The filter ${filter} can't be read: ${wrong}.`,
    tries: ['Write a filter as region="eu", with the value in quotes.', "To remove the filter, click it above."],
  };
}

/** What makes something readable of formats that are not read. */
const WAYS: [RegExp, string][] = [
  [/archive/, "Unpack the archive, and open the profile inside."],
  [/perf recording/, "Run perf script on the recording, and open the output."],
];
const READ = "Pilotlight opens pprof, JFR, speedscope, folded stacks, perf, and some forty other formats.";

function profileProblem({ kind, message }: CoreError): Pick<Problem, "meaning" | "tries"> & Partial<Problem> {
  // What to do stands behind the last semicolon.
  const what = message.replace(/; [^;]*$/, "");
  switch (kind) {
    case "empty": {
      return {
        meaning: `${what.replace(/^the/, "This")}.`,
        tries: ["Check that the profiler finished writing the file."],
      };
    }
    case "unread": {
      const ways = WAYS.filter(([pattern]) => pattern.test(what)).map(([, way]) => way);
      const meaning = `${capital(what)}.`;
      // The technical text says no more.
      return { meaning, detail: meaning, tries: [...ways, READ] };
    }
    case "sampleless":
      return {
        meaning: "This file is complete, but it has no samples to show.",
        tries: ["Record again with call stacks, and for longer."],
      };
    case "different":
      return {
        meaning: "These profiles have different types or units.",
        tries: [
          "To merge profiles, choose ones with the same types.",
          "To compare two profiles, choose ones with a type and unit in common.",
        ],
      };
    default: {
      const [, cap] = /inflates to more than the (\d+) bytes allowed/.exec(message) ?? [];
      if (cap)
        return {
          meaning: `This file has more than ${formatBytes(Number(cap))} when it is unpacked.`,
          tries: ["Record for a shorter time, or split the file."],
        };
      return {
        meaning: "This file is incomplete, or in a format that Pilotlight can't open.",
        tries: ["Check that the file was downloaded completely.", READ],
      };
    }
  }
}
