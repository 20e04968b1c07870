import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { failedLoginPause } from "../failed-login.ts";
import { maxPathLength, trimSlashes } from "../path.ts";
import { refusalResponse } from "./refusal.ts";
import type { HttpRequest, HttpResponse } from "./http-message.ts";

/** Answers requests; never rejects. */
export interface RequestHandler {
  answer(request: HttpRequest): Promise<HttpResponse>;
}

/** Passes requests of Node's server to an endpoint. */
export const httpListener =
  (endpoint: RequestHandler): RequestListener =>
  (incoming, outgoing) =>
    void answer(endpoint, incoming, outgoing);

async function answer(endpoint: RequestHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  // The client may disconnect at any time, which is not an error.
  outgoing.on("error", () => undefined);
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  // Bodies in another coding would be misread (RFC 9112 section 6.1).
  if (!/^(?:chunked)?$/i.test(incoming.headers["transfer-encoding"] ?? "")) {
    respond(incoming, outgoing, refusalResponse(501, "Only the transfer coding chunked is supported."));
    return;
  }
  const request = requestOf(incoming, outgoing, gone.signal);
  const response = await answerTo(endpoint, request);
  if (response.status === 401) await setTimeout(failedLoginPause, undefined, { ref: false });
  respond(incoming, outgoing, response);
}

async function answerTo(endpoint: RequestHandler, request: HttpRequest | undefined): Promise<HttpResponse> {
  if (request === undefined) return refusalResponse(400, "The request must have a path and exactly one host.");
  if (request.path.length > maxPathLength)
    return refusalResponse(414, `A path may have at most ${maxPathLength} characters.`);
  return endpoint.answer(request);
}

/** Reads a body up to its maximum size. */
async function bodyOf(incoming: IncomingMessage, outgoing: ServerResponse, most: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = Number(incoming.headers["content-length"] ?? 0);
  if (size > most) throw tooLarge(most);
  if (incoming.headers.expect !== undefined) outgoing.writeContinue();
  size = 0;
  for await (const part of incoming) {
    if (!(part instanceof Buffer)) continue;
    size += part.byteLength;
    if (size > most) throw tooLarge(most);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const tooLarge = (most: number): SobreError =>
  new SobreError("MessageSizeExceeded", `The body exceeds the limit of ${most} bytes.`);

/** `undefined` if the request names no host, or two. */
function requestOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  abortSignal: AbortSignal,
): HttpRequest | undefined {
  const { rawHeaders } = incoming;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  // It is unknown which of them a proxy has used (RFC 9112 section 3.2).
  if (hosts.length > 1) return undefined;
  // An absolute target overrides the Host header.
  const [, authority, target = ""] = /^(?:https?:\/\/([^/?#]*))?(.*)$/is.exec(incoming.url ?? "") ?? [];
  const [path = "", query = ""] = target.split("?", 2);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
  try {
    return {
      method: incoming.method ?? "GET",
      isSecure: "encrypted" in incoming.socket,
      path: trimSlashes(decodeURIComponent(path)),
      query: new URLSearchParams(query),
      headers: authority === undefined ? headers : { ...headers, host: authority },
      rawHeaders,
      body: (most) => bodyOf(incoming, outgoing, most),
      abortSignal,
    };
  } catch {
    return undefined;
  }
}

function respond(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: HttpResponse): void {
  if (outgoing.destroyed) return;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // Do not wait for the rest of an unwanted body.
  const ending = incoming.complete ? {} : { connection: "close" };
  outgoing.writeHead(status, { ...headers, ...ending, "content-length": String(length) });
  outgoing.end(body);
}
