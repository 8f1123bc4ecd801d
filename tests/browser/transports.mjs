/** A client of Connect in each form of messages that is served, and what it is refused with. */
import assert from "node:assert/strict";
import { ConnectError } from "@connectrpc/connect";
import { compressionGzip, createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { url } from "./page.mjs";

const http = { httpVersion: "1.1", baseUrl: url };

export const FORMS = {
  protobuf: createConnectTransport({ ...http, useBinaryFormat: true }),
  JSON: createConnectTransport({ ...http, useBinaryFormat: false }),
  "protobuf, compressed": createConnectTransport({
    ...http,
    useBinaryFormat: true,
    sendCompression: compressionGzip,
    compressMinBytes: 0,
  }),
  "gRPC-web": createGrpcWebTransport({ ...http, useBinaryFormat: true }),
};

/** The error of a call that must fail. */
export async function refusal(answer) {
  const failure = await answer.then(
    () => null,
    (failure) => failure,
  );
  assert.ok(failure instanceof ConnectError, String(failure));
  return failure;
}
