import type { ErrorCode } from "../../core/errors/codes.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { parsedJson } from "../../core/values/json.ts";
import { isObject } from "../json-schema/json-value.ts";

/** Options of {@link JsonService}. */
export interface JsonServiceOptions {
  /** `http` or `https`; a user and password in it are sent as basic authentication and never shown. */
  readonly url: string;
  /** `user:password`, for a URL without them. */
  readonly credentials?: string | undefined;
  /** Milliseconds for each answer as a whole. Default: 10,000. */
  readonly timeout?: number | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** A request; `body` is sent as JSON. */
interface ServiceRequest {
  readonly method?: "GET" | "POST" | "PUT";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that was a success. */
interface ServiceAnswer {
  readonly json: unknown;
  readonly etag: string | undefined;
}

/** The maximum number of bytes of an answer; a longer one is refused. */
const maxBytes = 16 * 2 ** 20;

/** A service that speaks JSON over HTTP: the one place where contracts use the network. */
export class JsonService {
  /** The URL as it may be shown. */
  readonly shown: string;
  readonly #authorization: string | undefined;
  readonly #query: string;
  readonly #timeout: number;
  readonly #clock: Clock;

  /** @throws SobreError `InvalidArgument` for anything but a URL of http. */
  constructor({ url, credentials, timeout = 10_000, clock = systemClock }: JsonServiceOptions) {
    const place = URL.canParse(url) ? new URL(url) : undefined;
    if (place === undefined || !/^https?:$/.test(place.protocol))
      throw new SobreError("InvalidArgument", "The URL of a service must begin with http:// or https://.");
    const own = place.username === "" ? credentials : `${decoded(place.username)}:${decoded(place.password)}`;
    this.#authorization = own === undefined ? undefined : `Basic ${Buffer.from(own).toString("base64")}`;
    place.username = "";
    place.password = "";
    place.hash = "";
    // A query may hold a signature.
    this.#query = place.search.slice(1);
    place.search = "";
    this.shown = place.href.replace(/\/$/, "");
    this.#timeout = timeout;
    this.#clock = clock;
  }

  /**
   * Requests `path`, which is appended to the URL.
   *
   * @throws SobreError `MessagingEntityNotFound` for 404, `UnauthorizedAccess` for 401 and 403, `ServiceBusy` for 429 and 503,
   *   `ServiceCommunicationProblem` for other failures of the service, `InvalidOperation` for 412, `InvalidArgument` for other
   *   refusals, `ServiceTimeout`, `DecodeFailed` for what is not JSON, `LimitExceeded` for an answer beyond 16 MiB.
   */
  async ask(path: string, { method = "GET", body, headers = {} }: ServiceRequest = {}): Promise<ServiceAnswer> {
    const place = `${this.shown}${path}`;
    const ended = new AbortController();
    const timer = this.#clock.setTimer(this.#clock.now() + this.#timeout, () => ended.abort());
    try {
      const response = await fetch(
        this.#query === "" ? place : `${place}${place.includes("?") ? "&" : "?"}${this.#query}`,
        {
          method,
          // A redirect must not send the password elsewhere.
          redirect: "manual",
          signal: ended.signal,
          headers: {
            accept: "application/vnd.schemaregistry.v1+json, application/json",
            ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
      );
      const text = await textOfResponse(response, place);
      const json = parsedJson(text);
      if (!response.ok) throw refusal(place, response.status, json);
      if (json === undefined && (text !== "" || method === "GET"))
        throw new SobreError("DecodeFailed", `${place} has answered with something other than JSON. Check the URL.`);
      return { json, etag: response.headers.get("etag") ?? undefined };
    } catch (error) {
      if (error instanceof SobreError) throw error;
      if (ended.signal.aborted)
        throw new SobreError(
          "ServiceTimeout",
          `${place} has not answered within ${this.#timeout} ms. Try again later.`,
        );
      throw new SobreError("ServiceCommunicationProblem", `${place} cannot be reached (${reasonOf(error)}).`, {
        cause: error,
      });
    } finally {
      timer.cancel();
    }
  }
}

async function textOfResponse(response: Response, place: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new SobreError("LimitExceeded", `${place} has answered with more than ${maxBytes} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const refusals: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [401, ["UnauthorizedAccess", "refuses the user or password"]],
  [403, ["UnauthorizedAccess", "does not let this user do that"]],
  [404, ["MessagingEntityNotFound", "does not exist"]],
  [412, ["InvalidOperation", "was changed meanwhile. Run the command again"]],
  [429, ["ServiceBusy", "is busy. Try again later"]],
  [503, ["ServiceBusy", "is busy. Try again later"]],
]);

function refusal(place: string, status: number, json: unknown): SobreError {
  const more = isObject(json) && typeof json["error_code"] === "number" ? `, error code ${json["error_code"]}` : "";
  const [code, what] = refusals.get(status) ?? [
    status >= 500 ? "ServiceCommunicationProblem" : "InvalidArgument",
    status >= 500 ? "has failed" : status >= 400 ? "refuses the request" : "leads to another place. Name that URL",
  ];
  return new SobreError(code, `${place} ${what} (HTTP ${status}${more}).`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
  return typeof code === "string" ? code : "no connection";
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
