import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { onTestFinished, vi } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import type { Client } from "../../../src/client/client/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import { createSerializer, type Serializer } from "../../../src/core/codec/index.ts";
import type { Engine } from "../../../src/core/engine/index.ts";
import type { MemoryEngineOptions } from "../../../src/broker/memory/index.ts";
import { createEnvelope, type EnvelopeInit } from "../../../src/core/envelope/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import {
  createInspector,
  type AuditEvent,
  type Inspector,
  type InspectorOptions,
} from "../../../src/serve/inspector/index.ts";
import { jsonSchema } from "../../../src/core/json-schema/index.ts";
import type { Grant, HttpRequest, HttpResponse, Right } from "../../../src/serve/server/index.ts";
import { testEngine } from "../../../src/client/testing/index.ts";
import type { ManualClock } from "../../../src/core/time/index.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: unknown;
}

/** How a request differs from that of the page. */
interface Asking {
  readonly rights?: readonly Right[];
  readonly scope?: string;
  /** Default: the server's own. */
  readonly namespace?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Inspected {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly client: Client;
  readonly serializer: Serializer;
  readonly inspector: Inspector;
  readonly audit: readonly AuditEvent[];
  readonly get: (path: string, asking?: Asking) => Promise<Answer>;
  readonly post: (path: string, body: unknown, asking?: Asking) => Promise<Answer>;
}

/** An inspector over a test engine, asked without a socket; each answer is held to its schema. */
export function inspected(
  entities: Omit<MemoryEngineOptions, "clock"> = { queues: ["orders"] },
  options: Partial<InspectorOptions> = {},
): Inspected {
  const { engine, clock } = testEngine(entities);
  onTestFinished(() => engine.close());
  return inspectedOn(engine, clock, options);
}

/** An inspector of an engine, as a server starts it; another one takes its place after a restart. */
export function inspectedOn(engine: Engine, clock: ManualClock, options: Partial<InspectorOptions> = {}): Inspected {
  const serializer = options.serializer ?? createSerializer({ codecs: [json(), msgpack()] });
  const audit: AuditEvent[] = [];
  const inspector = createInspector({
    serializer,
    engine,
    clock,
    changes: true,
    onAudit: (event) => audit.push(event),
    ...options,
  });
  const client = createClient({ engine, serializer, clock });
  onTestFinished(async () => {
    await inspector.close();
    await client.close();
  });
  const ask = async (method: string, path: string, body: unknown, asking: Asking = {}): Promise<Answer> => {
    const { rights = ["Manage"], scope = "", namespace, headers = {} } = asking;
    const grant: Grant = { engine, namespace, scope, rights, keyName: "tester", expiresAt: Infinity };
    return answerOf(await inspector.answer(requestOf(method, path, body, headers), async () => grant));
  };
  return {
    engine,
    clock,
    client,
    serializer,
    inspector,
    audit,
    get: async (path, asking) => inForm(path, await ask("GET", path, undefined, asking)),
    post: async (path, body, asking) => inForm(path, await ask("POST", path, body, asking)),
  };
}

/** A request as the page makes it. */
function requestOf(
  method: string,
  target: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest {
  const [path = "", query = ""] = target.split("?");
  return {
    method,
    isSecure: false,
    path: `$ui/${path}`.replace(/\/$/, ""),
    query: new URLSearchParams(query),
    headers: {
      host: "localhost:5300",
      "sec-fetch-site": "same-origin",
      ...(method === "POST" && { "content-type": "application/json", origin: "http://localhost:5300" }),
      ...headers,
    },
    rawHeaders: [],
    body: async () => Buffer.from(typeof body === "string" ? body : JSON.stringify(body ?? {})),
    abortSignal: new AbortController().signal,
  };
}

function answerOf({ status, headers = {}, body = "" }: HttpResponse): Answer {
  const text = typeof body === "string" ? body : Buffer.from(body).toString("utf8");
  const isJson = headers["content-type"] === "application/json";
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
}

const { $defs }: { readonly $defs: Readonly<Record<string, object>> } = JSON.parse(
  readFileSync(new URL("../../../schemas/inspector.schema.json", import.meta.url), "utf8"),
);
const checks = new Map(
  Object.keys($defs).map((name) => [name, jsonSchema({ $defs, $ref: `#/$defs/${name}` })["~standard"]]),
);

const forms: readonly (readonly [RegExp, string])[] = [
  [/^api\/$/, "operations"],
  [/^api\/redrives\/[^/?]+(?:\?|$)/, "job"],
  [/^api\/redrives\/[^/]+\/./, "jobFact"],
  [/^api\/verdict/, "repair"],
  [/^api\/import/, "count"],
  [/^api\/purge/, "purge"],
  [/^api\/message\?/, "story"],
  [/^api\/(session|entities|groups|messages|sessions)\b/, "$1"],
];

async function inForm(path: string, answer: Answer): Promise<Answer> {
  if (answer.body === undefined) return answer;
  const ownForm = forms.find(([pattern]) => pattern.test(path));
  const [word = ""] = /^api\/(\w+)/.exec(path)?.slice(1) ?? [];
  const redrives = answer.text.startsWith('{"jobs"') ? "jobs" : "jobFact";
  const name = answer.status !== 200 ? "error" : (ownForm?.[1].replace("$1", word) ?? redrives);
  const result = await checks.get(name)?.validate(answer.body);
  if (result?.issues === undefined) return answer;
  throw new Error(`${path} is not a ${name}: ${JSON.stringify(result.issues)}`);
}

/** Sends messages and dead-letters them. */
export async function deadLettered(
  engine: Engine,
  entity: string,
  messages: readonly (EnvelopeInit & { readonly reason?: string; readonly description?: string })[],
): Promise<void> {
  const sender = await engine.openSender(entity);
  await sender.send(messages.map(({ reason: _reason, description: _description, ...init }) => createEnvelope(init)));
  const receiver = await engine.openReceiver(entity, { receiveMode: "peekLock" });
  for (const { reason, description } of messages) {
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 10_000 });
    if (delivery?.lockToken === undefined) throw new Error("Nothing was received.");
    await engine.settle(entity, delivery.lockToken, {
      kind: "deadLetter",
      deadLetterReason: reason,
      deadLetterErrorDescription: description,
    });
  }
}

/** A re-drive as the API answers it. */
interface Job {
  readonly id: string;
  readonly state: string;
}

const isJob = (body: unknown): body is Job => typeof body === "object" && body !== null && "state" in body;

/** The id of a re-drive that was started. */
export const jobId = (body: unknown): string => (isJob(body) ? body.id : "");

/** The answer for a job when it has ended; the clock moves on until then. */
export async function ended(
  { get, clock }: Inspected,
  started: unknown,
  kind: "redrives" | "purges" = "redrives",
): Promise<unknown> {
  if (!isJob(started)) throw new Error("No job was started.");
  for (;;) {
    const { body } = await get(`api/${kind}/${started.id}`);
    if (!isJob(body) || body.state !== "running") return body;
    await clock.advance(100);
    await setImmediate();
  }
}

export const idsIn = async ({ engine }: Pick<Inspected, "engine">, entity: string): Promise<readonly unknown[]> =>
  (await engine.peek(entity, { maxMessages: 100 })).map(({ envelope }) => envelope.brokerProperties.messageId);

/** Lets the first sending of a message fail, on the engine and on connections made from it. */
export function failsOnce(engine: Engine, messageId: string): void {
  let failures = 1;
  const patch = (connection: Engine): void => {
    const openSender = connection.openSender.bind(connection);
    vi.spyOn(connection, "openSender").mockImplementation(async (...args) => {
      const sender = await openSender(...args);
      const send = sender.send.bind(sender);
      vi.spyOn(sender, "send").mockImplementation(async (envelopes, options) => {
        if (envelopes[0]?.brokerProperties.messageId === messageId && failures-- > 0)
          throw new SobreError("QuotaExceeded", "The queue is full.");
        return send(envelopes, options);
      });
      return sender;
    });
  };
  const connect = engine.connect.bind(engine);
  vi.spyOn(engine, "connect").mockImplementation(async (options) => {
    const connection = await connect(options);
    patch(connection);
    return connection;
  });
  patch(engine);
}

/** A JSON message. */
export const order = (id: unknown, properties: EnvelopeInit["brokerProperties"] = {}): EnvelopeInit => ({
  payload: Buffer.from(JSON.stringify({ id })),
  brokerProperties: { contentType: "application/json", messageId: `order-${String(id)}`, ...properties },
});

/** A message that says it is JSON and is not. */
export const broken = (messageId: string): EnvelopeInit => ({
  payload: Buffer.from("{oops"),
  brokerProperties: { contentType: "application/json", messageId },
});

export { createEnvelope as envelope } from "../../../src/core/envelope/index.ts";
