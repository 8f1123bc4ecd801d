/** What is pushed: `Demo` of the WASM. */
export interface Requests {
  readonly profiles: number;
  readonly requests: number;
  request(index: number): Uint8Array | undefined;
}

/** The series that are demo data. */
export const DEMO: string;

/** A response other than 200; or, with status 0, none. */
export class ServerFailure extends Error {
  readonly status: number;
}

export function pushDemo(
  demo: Requests,
  url: URL | string,
  headers: Record<string, string>,
  progress: (done: number, profiles: number) => void,
): Promise<void>;

export function deleteDemo(url: URL | string, headers: Record<string, string>): Promise<void>;
