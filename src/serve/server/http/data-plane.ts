import type { ApplicationProperties, ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import type { AmqpBodyForm } from "../../../wire/http/amqp-body.ts";
import { notAllowed, refusalResponse } from "./refusal.ts";
import { setMember } from "../../../core/values/plain-object.ts";
import type { Delivery } from "../../../core/engine/delivery.ts";
import type { Engine } from "../../../core/engine/engine.ts";
import { createEnvelope, type Envelope } from "../../../core/envelope/envelope.ts";
import { Typed } from "../../../core/values/typed.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { brokerPropertiesFrom, writeBrokerProperties } from "../../../wire/http/broker-properties-header.ts";
import { numberFrom, parseExactly } from "../../../wire/http/exact-number.ts";
import { envelopeFromHttp, httpEnvelope, omissionHeaders } from "../../../wire/http/http-envelope.ts";
import { misnamedProperties } from "../../../wire/http/property-headers.ts";
import type { HttpRequest, HttpResponse } from "./http-message.ts";
import type { ClientLocks } from "./sealed-locks.ts";
import { maxMessagesInBatch } from "../../../wire/amqp/message/batch.ts";

/** The media type of batches. */
const batchType = "application/vnd.microsoft.servicebus.json";

/** Parses a number in a batch without rounding. */
function exactNumber(text: string): unknown {
  const number = numberFrom(text);
  if (number !== undefined) return number;
  throw new SobreError(
    "InvalidArgument",
    "The batch has a number that neither a double nor 64 bits can hold. Send it as a string.",
  );
}

/** The maximum ratio of a string's JSON form, with every character escaped, to its bytes. */
const maxJsonRatio = 6;

/** How long a receive waits by default and at most, in seconds. */
const defaultWait = 60;

/** The target of a data-plane path. */
interface PathTarget {
  readonly entity: string;
  readonly rest: readonly string[];
}

/** The client of a request: its namespace and its locks. */
export interface HttpClientAccess {
  readonly engine: Engine;
  readonly locks: ClientLocks;
  /** When its grant ends, in milliseconds since 1970; `Infinity` for never. */
  readonly expiresAt: number;
}

/** Parses `entity/messages…`; `undefined` if it is not a data-plane path. */
export function targetOf(path: string): PathTarget | undefined {
  const found = /(?<=[^])\/messages(?=\/|$)/i.exec(path);
  if (found === null) return undefined;
  const rest = path.slice(found.index + found[0].length);
  return { entity: path.slice(0, found.index), rest: rest.split("/").slice(1) };
}

/** Answers a request of the runtime REST API. @throws SobreError as the engine does. */
export async function answerData(
  { entity, rest }: PathTarget,
  request: HttpRequest,
  client: HttpClientAccess,
): Promise<HttpResponse> {
  const { engine, locks } = client;
  const [first = "", token] = rest;
  if (rest.length === 0) {
    if (request.method !== "POST") return notAllowed("POST");
    await send(entity, request, engine);
    return { status: 201, headers: omissionHeaders(misnamedProperties(request.rawHeaders)) };
  }
  if (rest.length === 1 && first.toLowerCase() === "head") {
    if (request.method === "POST") return receive(entity, request, client, "peekLock");
    if (request.method === "DELETE") return receive(entity, request, client, "receiveAndDelete");
    return notAllowed("POST, DELETE");
  }
  if (rest.length !== 2 || token === undefined) return refusalResponse(404, "This path does not exist.");
  const lock = locks.open(token);
  switch (request.method) {
    case "DELETE":
      await engine.settle(entity, lock, { kind: "complete" });
      return { status: 200 };
    case "PUT":
      await engine.settle(entity, lock, { kind: "abandon" });
      return { status: 200 };
    case "POST":
      await engine.renew(entity, lock);
      return { status: 200 };
    default:
      return notAllowed("DELETE, PUT, POST");
  }
}

async function send(entity: string, request: HttpRequest, engine: Engine): Promise<void> {
  const sender = await engine.openSender(entity);
  try {
    const together = isBatch(request);
    const body = await request.body(sender.maxMessageSize * (together ? maxJsonRatio : 1));
    await sender.send(together ? batchOf(body) : [envelopeFromHttp(request.rawHeaders, body)]);
  } finally {
    await sender.close();
  }
}

const isBatch = ({ headers }: HttpRequest): boolean =>
  (headers["content-type"] ?? "").toLowerCase().split(";")[0]?.trim() === batchType;

function batchOf(body: Uint8Array): readonly Envelope[] {
  const json = parseExactly(body, "batch", exactNumber);
  if (!Array.isArray(json) || json.length === 0 || json.length > maxMessagesInBatch)
    throw new SobreError("InvalidArgument", `The batch must be an array of 1 to ${maxMessagesInBatch} messages.`);
  return json.map((item: unknown) => memberOf(item));
}

function memberOf(item: unknown): Envelope {
  if (typeof item !== "object" || item === null || !("Body" in item) || typeof item.Body !== "string")
    throw new SobreError("InvalidArgument", "Every message of the batch must have a Body that is a string.");
  const user = "UserProperties" in item ? item.UserProperties : undefined;
  const broker = "BrokerProperties" in item ? item.BrokerProperties : undefined;
  return createEnvelope({
    payload: Buffer.from(item.Body),
    brokerProperties: broker === undefined || broker === null ? undefined : brokerPropertiesFrom(broker),
    applicationProperties: userProperties(user),
  });
}

function userProperties(user: unknown): ApplicationProperties {
  const properties: Record<string, ApplicationPropertyValue> = {};
  if (user === undefined || user === null) return properties;
  if (typeof user !== "object" || Array.isArray(user))
    throw new SobreError("InvalidArgument", "UserProperties must be an object.");
  for (const [name, value] of Object.entries(user)) {
    const plain: unknown = value;
    if (!isPlain(plain))
      throw new SobreError("InvalidArgument", "UserProperties must be strings, numbers, booleans or null.");
    setMember(properties, name, plain);
  }
  return properties;
}

const isPlain = (value: unknown): value is null | string | number | bigint | boolean | Typed =>
  value === null || value instanceof Typed || ["string", "number", "bigint", "boolean"].includes(typeof value);

async function receive(
  entity: string,
  { query, abortSignal, headers, isSecure }: HttpRequest,
  { engine, locks, expiresAt }: HttpClientAccess,
  receiveMode: "peekLock" | "receiveAndDelete",
): Promise<HttpResponse> {
  const seconds = Number(query.get("timeout") ?? defaultWait);
  if (!Number.isInteger(seconds) || seconds < 0)
    throw new SobreError("InvalidArgument", "timeout must be a whole number of seconds from 0 up.");
  const receiver = await engine.openReceiver(entity, { receiveMode });
  try {
    // The client waits in real time, whatever the broker's clock.
    const wait = Math.max(0, Math.min(seconds * 1000, defaultWait * 1000, expiresAt - Date.now()));
    const over = AbortSignal.any([abortSignal, AbortSignal.timeout(wait)]);
    const maxWaitTimeInMs = seconds === 0 ? 0 : Infinity;
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs, abortSignal: over });
    if (delivery === undefined) return { status: 204 };
    const origin = `${isSecure ? "https" : "http"}://${headers["host"] ?? "localhost"}`;
    const token = delivery.lockToken === undefined ? undefined : locks.seal(delivery.lockToken);
    return responseOf({ ...delivery, lockToken: token }, `${origin}/${pathOf(entity)}`, formFor(headers["accept"]));
  } finally {
    await receiver.close();
  }
}

const pathOf = (entity: string): string => entity.split("/").map(encodeURIComponent).join("/");

/** A form that every HTTP client can read, unless it requests the encoded bytes. */
const formFor = (accept = ""): AmqpBodyForm => (/application\/x-amqp-value/i.test(accept) ? "encoded" : "json");

/** A browser must not run what a sender has written, which would have this server's origin. */
const inert = { "content-security-policy": "sandbox", "x-content-type-options": "nosniff" } as const;

function responseOf(delivery: Delivery, base: string, form: AmqpBodyForm): HttpResponse {
  const { envelope, lockToken: token, sequenceNumber } = delivery;
  const written = httpEnvelope(envelope, writeBrokerProperties(delivery), form);
  const headers = { ...written.headers, ...inert };
  const { body } = written;
  if (token === undefined) return { status: 200, headers, body };
  return { status: 201, headers: { ...headers, location: `${base}/messages/${sequenceNumber}/${token}` }, body };
}
