/** What a failed call of the API means. */

/**
 * `absent`: there is no such path, so there is no Pilotlight server here. `network`: no answer, or half of one.
 * `refused`: the server answered with an error.
 */
export type ApiErrorKind = "absent" | "network" | "refused";

export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  readonly status: number;
  /** What the server gave as its reason, empty when it gave none. */
  readonly reason: string;
  /** The query that was asked, empty when there was none. */
  readonly query: string;
  /** When to try again, seconds; 0 when the server does not say. */
  readonly retryAfter: number;
  /** Set when the server asks for a token: there was none, or it is not valid. */
  readonly token: "missing" | "wrong" | undefined;
  constructor(
    kind: ApiErrorKind,
    message: string,
    refused: {
      status?: number;
      reason?: string;
      query?: string;
      retryAfter?: number;
      token?: "missing" | "wrong";
    } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = refused.status ?? 0;
    this.reason = refused.reason ?? "";
    this.query = refused.query ?? "";
    this.retryAfter = refused.retryAfter ?? 0;
    this.token = refused.token;
  }
}

/** The error for a response that is not a success. `sent` is the token of the request, empty when it had none. */
export function responseError(response: Response, text: string, sent = ""): ApiError {
  const { status, statusText, headers } = response;
  const token = asksForToken(response) ? (sent === "" ? "missing" : "wrong") : undefined;
  const retryAfter = Number(headers.get("retry-after")) || 0;
  const says = parsed(text);
  if (says)
    return new ApiError("refused", `${status} ${says.code ?? ""}: ${says.message}`, {
      status,
      reason: says.message,
      query: response.url ? (new URL(response.url).searchParams.get("query") ?? "") : "",
      retryAfter,
      token,
    });
  // What is not JSON is not from the worker: a static host without it, or whatever stands in front of it.
  if (status === 404) return noServer();
  const isPage = headers.get("content-type")?.startsWith("text/html");
  return new ApiError("refused", `${status} ${isPage ? statusText : text.slice(0, 500) || statusText}`.trim(), {
    status,
    retryAfter,
    token,
  });
}

/** Whatever stands in front of the server may answer 401 too, but wants no token of ours. */
export function asksForToken({ status, headers }: Response): boolean {
  return status === 401 && (headers.get("www-authenticate")?.startsWith("Bearer") ?? false);
}

function parsed(text: string): { code?: string; message: string } | null {
  try {
    const { code, message } = JSON.parse(text) as { code?: string; message?: string };
    return message ? { code, message } : null;
  } catch {
    // Not JSON, so not from the worker; the caller says what it may be.
    return null;
  }
}

export function noServer(): ApiError {
  return new ApiError("absent", "no Pilotlight server at this address");
}
