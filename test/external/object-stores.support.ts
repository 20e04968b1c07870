import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** The credentials that both servers accept. */
export const credentials: { readonly id: string; readonly secret: string } = {
  id: "stand-in",
  secret: Buffer.from("a secret of the stand-in").toString("base64"),
};

/** A stand-in for an object store that checks signatures and keeps objects in memory. */
export interface ObjectStore {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** Answers all requests as a service that is unavailable. */
  isAway: boolean;
  close(): Promise<void>;
}

/** Amazon S3 with one bucket, by path, with signature version 4. */
export const startS3 = (bucket: string): Promise<ObjectStore> =>
  start(bucket, {
    isSigned: isSignedForS3,
    error: (code) => ({ body: `<Error><Code>${code === "missing" ? "NoSuchKey" : code}</Code></Error>`, headers: {} }),
  });

/** Azure Blob Storage with one container of one account, with its shared key. */
export const startAzureBlobs = (container: string): Promise<ObjectStore> =>
  start(`${credentials.id}/${container}`, {
    isSigned: isSignedForAzure,
    error: (code) => {
      const own = code === "missing" ? "BlobNotFound" : code;
      return { body: `<Error><Code>${own}</Code></Error>`, headers: { "x-ms-error-code": own } };
    },
  });

interface Dialect {
  isSigned(request: IncomingMessage, body: Buffer): boolean;
  error(code: string): { readonly body: string; readonly headers: Record<string, string> };
}

async function start(root: string, dialect: Dialect): Promise<ObjectStore> {
  const objects = new Map<string, Buffer>();
  const refuse = (response: ServerResponse, status: number, code: string): void => {
    const { body, headers } = dialect.error(code);
    response.writeHead(status, { "content-type": "application/xml", ...headers }).end(body);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const path = new URL(request.url ?? "/", store.url).pathname;
    const name = decodeURIComponent(path.slice(root.length + 2));
    const object = objects.get(name);
    if (store.isAway) refuse(response, 503, "ServiceUnavailable");
    else if (!dialect.isSigned(request, body)) refuse(response, 403, "SignatureDoesNotMatch");
    else if (!path.startsWith(`/${root}/`)) refuse(response, 404, "NoSuchBucket");
    else if (request.method === "PUT") {
      objects.set(name, body);
      response.writeHead(request.headers["x-ms-version"] === undefined ? 200 : 201, { etag: '"1"' }).end();
    } else if (object === undefined) refuse(response, 404, "missing");
    else
      response
        .writeHead(200, { "content-length": object.byteLength, etag: '"1"', "x-ms-blob-type": "BlockBlob" })
        .end(object);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const store: ObjectStore = {
    url: `http://127.0.0.1:${port}`,
    objects,
    isAway: false,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return store;
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** AWS Signature Version 4, in the header Authorization. */
function isSignedForS3({ method, url = "/", headers }: IncomingMessage, body: Buffer): boolean {
  const form = /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/;
  const [, id, day = "", region = "", names = "", signature] = form.exec(headers.authorization ?? "") ?? [];
  const declared = String(headers["x-amz-content-sha256"]);
  if (id !== credentials.id || declared !== sha256(body)) return false;
  const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const { pathname, searchParams } = new URL(url, "http://host");
  searchParams.sort();
  const canonical = [method, pathname, searchParams.toString(), signed.join(""), names, declared].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = [region, "s3", "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${credentials.secret}`, day));
  return hmac(key, text).toString("hex") === signature;
}

/** Azure Storage's Shared Key, in the header Authorization. */
function isSignedForAzure({ method, url = "/", headers }: IncomingMessage): boolean {
  const standard = ["content-encoding", "content-language", "content-length", "content-md5", "content-type", "date"];
  const conditions = ["if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"];
  const values = [...standard, ...conditions].map((name) => {
    const value = String(headers[name] ?? "");
    return name === "content-length" && value === "0" ? "" : value;
  });
  const own = Object.keys(headers)
    .filter((name) => name.startsWith("x-ms-"))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => `${name}:${String(headers[name])}`);
  const { pathname, searchParams } = new URL(url, "http://host");
  const parameters = [...searchParams].map(([name, value]) => `\n${name}:${value}`).join("");
  const text = [method, ...values, ...own, `/${credentials.id}${pathname}${parameters}`].join("\n");
  const signature = hmac(Buffer.from(credentials.secret, "base64"), text).toString("base64");
  return headers.authorization === `SharedKey ${credentials.id}:${signature}`;
}
