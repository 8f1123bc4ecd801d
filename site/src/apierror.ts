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
  /** When to try again, seconds; 0 when the server does not say. */
  readonly retryAfter: number;
  constructor(
    kind: ApiErrorKind,
    message: string,
    refused: { status?: number; reason?: string; retryAfter?: number } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = refused.status ?? 0;
    this.reason = refused.reason ?? "";
    this.retryAfter = refused.retryAfter ?? 0;
  }
}

/** The error for a response that is not a success. */
export function responseError(response: Response, text: string): ApiError {
  const { status, statusText, headers } = response;
  const retryAfter = Number(headers.get("retry-after")) || 0;
  const says = parsed(text);
  if (says)
    return new ApiError("refused", `${status} ${says.code ?? ""}: ${says.message}`, {
      status,
      reason: says.message,
      retryAfter,
    });
  // What is not JSON is not from the worker: a static host without it, or whatever stands in front of it.
  if (status === 404) return noServer();
  const isPage = headers.get("content-type")?.startsWith("text/html");
  return new ApiError("refused", `${status} ${isPage ? statusText : text.slice(0, 500) || statusText}`.trim(), {
    status,
    retryAfter,
  });
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
