/** What went wrong, for people: what failed, what it means, what to try; the technical text apart. */
import { ApiError } from "../api.ts";
import { CoreError } from "../core/core.ts";

export interface Problem {
  title: string;
  meaning: string;
  tries: string[];
  detail: string;
}

/** `doing` completes "Could not …". */
export function problemOf(failure: unknown, doing: string): Problem {
  const detail = failure instanceof Error ? failure.message : String(failure);
  const title = `Could not ${doing}`;
  if (failure instanceof ApiError) return { title, detail, ...serverProblem(failure) };
  if (failure instanceof CoreError && failure.fatal) {
    return {
      title,
      detail,
      meaning: "The viewer inside this page stopped, most likely because the profile needs more memory than a browser tab has.",
      tries: ["Reload the page and open fewer or smaller profiles.", "If it happens again with a small profile, it is our mistake: please report it."],
    };
  }
  if (failure instanceof CoreError) return { title, detail, ...profileProblem(detail) };
  return { title, detail, meaning: "Something in this page went wrong.", tries: ["Reload the page."] };
}

function serverProblem(error: ApiError): Pick<Problem, "meaning" | "tries"> {
  if (error.kind === "network") {
    return {
      meaning: "The server did not answer.",
      tries: ["Check that it is running and that you are online.", "Try again."],
    };
  }
  if (error.kind === "absent") {
    return {
      meaning: "There is no Pilotlight server at this address; this is the viewer alone.",
      tries: ["Open a profile from your disk instead.", "Start a server with cargo xtask run."],
    };
  }
  if (error.status >= 500) {
    return { meaning: "The server failed while it worked on this.", tries: ["Try again in a moment.", "Try a shorter time range."] };
  }
  return { meaning: "The server did not accept the question.", tries: ["Check the filters and the time range."] };
}

function profileProblem(detail: string): Pick<Problem, "meaning" | "tries"> {
  if (/differ|agree|sample type|unit/.test(detail)) {
    return {
      meaning: "These profiles measure different things, so they cannot be put together.",
      tries: ["Choose profiles of the same kind, CPU with CPU, heap with heap.", "Look at them one at a time."],
    };
  }
  return {
    meaning: "This does not look like a whole profile in a format that Pilotlight reads.",
    tries: [
      "Check that the file is complete and was not cut off by a download.",
      "Pilotlight opens pprof files, gzipped or not, those of gperftools and old Go, and folded stacks.",
    ],
  };
}
