/**
 * The embedded bucket: objects in a folder, behind the part of S3 that the worker uses. It listens on this machine only, and
 * answers whoever knows its access key, which is made anew at each start. Signatures are not checked: nobody is between.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { pipeline } from "node:stream/promises";
import { fromBinary, toBinary } from "./names.mjs";
import { NoSuchObject, Objects, PreconditionFailed } from "./objects.mjs";

/** The only bucket. */
const BUCKET = "pilotlight";
/** Longest name, bytes, as S3 has it. */
const LONGEST_NAME = 1024;
/** Most names on a page of a list, and most objects deleted at once, as S3 has it. */
const MOST_NAMES = 1000;
/** A deletion of as many of the longest names, each of whose bytes may be an entity of six. */
const LONGEST_DELETION = MOST_NAMES * (LONGEST_NAME * 6 + 100);

/** An answer that is not what was asked for. */
class S3Error extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

/** Serves the bucket in a folder. Gives the variables by which the worker finds it, and what ends it. */
export async function startBucket(folder) {
  const objects = await Objects.open(folder);
  const accessKey = randomBytes(16).toString("hex");
  const server = createServer((request, response) => {
    answer(objects, accessKey, request, response).catch((error) => refuse(request, response, error));
  });
  // workerd keeps connections: one that is closed while it is used again would cost it an answer.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    variables: {
      S3_ENDPOINT: `http://127.0.0.1:${server.address().port}`,
      S3_BUCKET: BUCKET,
      S3_REGION: "auto",
      S3_URL_STYLE: "path",
      S3_ACCESS_KEY_ID: accessKey,
      S3_SECRET_ACCESS_KEY: randomBytes(16).toString("hex"),
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(objects, accessKey, request, response) {
  const [path, search = ""] = request.url.split("?", 2);
  const query = new URLSearchParams(search);
  if (!isKnown(query, accessKey)) throw new S3Error(403, "InvalidAccessKeyId", "unknown access key");
  const name = nameOf(path);
  const { method } = request;
  if (name !== "") {
    if (method === "GET") return read(objects, name, request, response);
    if (method === "HEAD") return head(objects, name, response);
    if (method === "PUT") return write(objects, name, request, response);
    if (method === "DELETE") {
      await objects.delete([name]);
      return response.writeHead(204).end();
    }
  } else if (method === "GET" && query.get("list-type") === "2") return list(objects, query, response);
  else if (method === "POST" && query.has("delete")) return remove(objects, request, response);
  throw new S3Error(501, "NotImplemented", `${method} is not implemented here`);
}

function isKnown(query, accessKey) {
  const [shown] = (query.get("X-Amz-Credential") ?? "").split("/");
  return shown.length === accessKey.length && timingSafeEqual(Buffer.from(shown), Buffer.from(accessKey));
}

/** The object's name, empty for the bucket itself. */
function nameOf(path) {
  const [, bucket, ...segments] = path.split("/");
  if (bucket !== BUCKET) throw new S3Error(404, "NoSuchBucket", "the specified bucket does not exist");
  let name;
  try {
    name = toBinary(decodeURIComponent(segments.join("/")));
  } catch {
    throw new S3Error(400, "InvalidURI", "the path is not encoded as a URL");
  }
  if (name.length > LONGEST_NAME) throw new S3Error(400, "KeyTooLongError", "your key is too long");
  return name;
}

async function read(objects, name, request, response) {
  const found = await objects.get(name);
  if (!found) throw absent();
  const { handle, size } = found;
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  const start = range ? Number(range[1]) : 0;
  const end = range ? Math.min(Number(range[2]) + 1, size) : size;
  if (range && start >= end) {
    await handle.close();
    throw new S3Error(416, "InvalidRange", "the requested range cannot be satisfied");
  }
  const part = range ? { "content-range": `bytes ${start}-${end - 1}/${size}` } : {};
  response.writeHead(range ? 206 : 200, { ...headersOf(found), "content-length": end - start, ...part });
  if (start === end) {
    await handle.close();
    return response.end();
  }
  await pipeline(handle.createReadStream({ start, end: end - 1 }), response);
}

async function head(objects, name, response) {
  const found = await objects.head(name);
  if (!found) throw absent();
  response.writeHead(200, headersOf(found)).end();
}

async function write(objects, name, request, response) {
  const { "if-match": matches, "if-none-match": none } = request.headers;
  if (none !== undefined && none !== "*") throw new S3Error(501, "NotImplemented", "if-none-match accepts only *");
  const etag = await objects.put(name, request, { matches, absent: none === "*" });
  response.writeHead(200, { etag, "content-length": 0 }).end();
}

async function remove(objects, request, response) {
  const body = await textOf(request, LONGEST_DELETION);
  const names = [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => toBinary(unescapeXml(key)));
  if (names.length === 0 || names.length > MOST_NAMES)
    throw new S3Error(400, "MalformedXML", `a deletion must have 1 to ${MOST_NAMES} keys (got ${names.length})`);
  await objects.delete(names);
  sendXml(response, 200, "<DeleteResult></DeleteResult>");
}

async function list(objects, query, response) {
  const [delimiter, token] = [query.get("delimiter"), query.get("continuation-token")];
  if (delimiter && delimiter !== "/") throw new S3Error(501, "NotImplemented", "the only supported delimiter is /");
  const asked = Number(query.get("max-keys") ?? MOST_NAMES);
  if (!Number.isInteger(asked) || asked < 0)
    throw new S3Error(400, "InvalidArgument", "max-keys must be a whole number, 0 or more");
  const startAfter = query.get("start-after");
  const after = token ? Buffer.from(token, "base64url").toString("latin1") : startAfter && toBinary(startAfter);
  const limit = Math.min(asked, MOST_NAMES);
  const page = await objects.list({
    prefix: toBinary(query.get("prefix") ?? ""),
    cut: delimiter === "/",
    after: after || undefined,
    limit,
  });
  const contents = page.objects.map(
    ({ name, size, etag, modified }) =>
      `<Contents><Key>${xmlOf(name)}</Key><LastModified>${modified.toISOString()}</LastModified><ETag>${escapeXml(etag)}</ETag><Size>${size}</Size></Contents>`,
  );
  const prefixes = page.prefixes.map((name) => `<CommonPrefixes><Prefix>${xmlOf(name)}</Prefix></CommonPrefixes>`);
  const next = page.next && Buffer.from(page.next, "latin1").toString("base64url");
  const more = next ? `<NextContinuationToken>${next}</NextContinuationToken>` : "";
  const parts = [
    `<Name>${BUCKET}</Name><MaxKeys>${limit}</MaxKeys><KeyCount>${contents.length + prefixes.length}</KeyCount>`,
    `<IsTruncated>${next !== undefined}</IsTruncated>${more}`,
    ...contents,
    ...prefixes,
  ];
  sendXml(response, 200, `<ListBucketResult>${parts.join("")}</ListBucketResult>`);
}

function headersOf({ size, etag, modified }) {
  return { "content-length": size, etag, "last-modified": modified.toUTCString() };
}

const absent = () => new S3Error(404, "NoSuchKey", "the specified key does not exist");

function refuse(request, response, error) {
  if (response.headersSent) return response.destroy();
  // The rest of a body that nobody reads would be taken for the next request.
  if (!request.complete) response.setHeader("connection", "close");
  const { status, code, message } = asS3Error(error);
  if (status === 500) console.error(`pilotlight: ${request.method} failed in the bucket: ${error.message}`);
  if (request.method === "HEAD") return response.writeHead(status).end();
  sendXml(response, status, `<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error>`);
}

function asS3Error(error) {
  if (error instanceof S3Error) return error;
  if (error instanceof NoSuchObject) return absent();
  if (error instanceof PreconditionFailed)
    return new S3Error(412, "PreconditionFailed", "at least one of the preconditions did not hold");
  return new S3Error(500, "InternalError", error.message);
}

function sendXml(response, status, xml) {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
  response.writeHead(status, { "content-type": "application/xml", "content-length": body.length }).end(body);
}

async function textOf(request, most) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > most) throw new S3Error(400, "MalformedXML", "the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const xmlOf = (name) => escapeXml(fromBinary(name));

/** A line's end would be read as another one. */
function escapeXml(text) {
  return text.replace(/[&<>"\r\n]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function unescapeXml(text) {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, named) => {
    if (named) return ENTITIES[named] ?? whole;
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
