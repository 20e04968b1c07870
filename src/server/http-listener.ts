import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../http/index.ts";

/** The most bytes of a body: what no message or description is larger than. */
const maxBodySize = 110 * 2 ** 20;

/** Hands requests of Node's server to an endpoint. */
export const httpListener =
  (endpoint: HttpEndpoint): RequestListener =>
  (incoming, outgoing) =>
    void answer(endpoint, incoming, outgoing);

async function answer(endpoint: HttpEndpoint, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  // The client may go away at any time, which is no error here.
  outgoing.on("error", () => undefined);
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const body = await bodyOf(incoming).catch(() => undefined);
  const request = body === undefined ? undefined : requestOf(incoming, body, gone.signal);
  if (request === undefined) {
    respond(outgoing, { status: body === undefined ? 413 : 400, headers: { connection: "close" } });
    return;
  }
  respond(outgoing, await endpoint.answer(request));
}

async function bodyOf(incoming: IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    if (!(part instanceof Buffer)) continue;
    size += part.byteLength;
    if (size > maxBodySize) throw new RangeError("The body is too large.");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** `undefined`: the path cannot be read. */
function requestOf(incoming: IncomingMessage, body: Uint8Array, signal: AbortSignal): HttpRequest | undefined {
  const [path = "", query = ""] = (incoming.url ?? "").split("?");
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
  try {
    return {
      method: incoming.method ?? "GET",
      path: decodeURIComponent(path).replaceAll(/^\/+|\/+$/g, ""),
      query: new URLSearchParams(query),
      headers,
      rawHeaders: incoming.rawHeaders,
      body,
      signal,
    };
  } catch {
    return undefined;
  }
}

function respond(outgoing: ServerResponse, { status, headers, body }: HttpResponse): void {
  if (outgoing.destroyed) return;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  outgoing.writeHead(status, { ...headers, "content-length": String(length) });
  outgoing.end(body);
}
