import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as api from "@opentelemetry/api";
import { amqp, dateTimeOffsetExtension, timespanExtension, uriExtension } from "../../codecs/amqp/index.ts";
import { bytes } from "../../codecs/bytes/index.ts";
import { dataContractJson, dataContractXml, nbfx, nrbf } from "../../codecs/dotnet/index.ts";
import { java } from "../../codecs/java/index.ts";
import { json } from "../../codecs/json/index.ts";
import { legacy } from "../../codecs/legacy/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { text } from "../../codecs/text/index.ts";
import { encodeMessage, parseMessage } from "../../src/wire/amqp/index.ts";
import { createMessageConverter } from "../../src/client/interop/index.ts";
import { idempotent, memoryInbox, openTelemetry } from "../../src/client/client/index.ts";
import { createCodecRegistry, createSerializer } from "../../src/core/codec/index.ts";
import { EngineHarness } from "../../src/broker/conformance/engine-harness.ts";
import { contractMatchers } from "../../src/contract/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import type { Client } from "../../src/client/client/index.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { type DurableEngine, durableEngine } from "../../src/broker/durable/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { createEnvelope } from "../../src/core/envelope/envelope.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { readSas, writeSas } from "../../src/wire/http/index.ts";
import { memoryOutbox, startOutbox } from "../../src/client/inbox/index.ts";
import { createInspector } from "../../src/serve/inspector/index.ts";
import { defineMessage, registryIds } from "../../src/core/message/index.ts";
import {
  createCaptureSource,
  createFolderSource,
  createQuarantine,
  createQueueSource,
} from "../../src/migration/index.ts";
import { type Server, startServer } from "../../src/serve/server/index.ts";
import { claimCheck, compression, encryption, filePayloadStore } from "../../src/client/stages/index.ts";
import { cloudEvents } from "../../src/client/cloud-events/index.ts";
import { faultyEngine, sobreMatchers, testEngine, createTestHarness } from "../../src/client/testing/index.ts";
import { ManualClock, systemClock } from "../../src/core/time/index.ts";
import * as values from "../../src/core/values/index.ts";

/** Something that has methods. */
export interface Subject {
  /** The public name of its interface or class, unless `as` is. */
  readonly name: string;
  /** The public name of the interface of one of several implementations. */
  readonly as?: string;
  /** A fresh one. */
  readonly make: () => object | Promise<object>;
  /** Turns of the event loop until an answer comes, where it is far away. */
  readonly patience?: number;
  /** Arguments that are right, and would leave something behind. */
  readonly spared?: (args: readonly unknown[]) => boolean;
}

/** Interfaces that users of the library implement: sobre calls them, and nobody passes them wrong arguments. */
export const implementedByUsers: readonly string[] = [
  "AzureBlobContainer",
  "ClosableInbox",
  "ClosableOutbox",
  "HttpHandler",
  "HttpRequest",
  "EngineTarget",
  "Inbox",
  "MemoryOutbox",
  "Metrics",
  "RedriveLog",
  "S3ObjectClient",
  "OpenTelemetryMeter",
  "OpenTelemetrySpan",
  "OpenedEngine",
  "OutboxStore",
  "PostgresClient",
  "PostgresPool",
  "PostgresPoolClient",
  "ProcessorHandlers",
  "ResponderHandlers",
  "SqliteDatabase",
  "Timer",
  "TokenCredential",
  "TracedSpan",
  "WorkflowHandlers",
];

const closers: (() => unknown)[] = [];

/** Closes all that was made. */
export async function closeSubjects(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}

const queues = { a: {}, s: { requiresSession: true } };
const serializer = createSerializer({ codecs: [json()] });

function engine(): Engine {
  const made = memoryEngine({ clock: new ManualClock(), queues, topics: { t: { subscriptions: ["x"] } } });
  closers.push(() => made.close());
  return made;
}

let onDisk: Promise<DurableEngine> | undefined;

/** One for all methods, since each takes a thread. */
function durable(): Promise<DurableEngine> {
  onDisk ??= durableEngine({ directory: folder(), queues }).then((made) => {
    closers.push(() => made.close());
    return made;
  });
  return onDisk;
}

let served: Promise<Server> | undefined;

/** One for all methods; each has a connection of its own, which a wrong call may end. */
async function remote(): Promise<Engine> {
  served ??= startServer({ queues, topics: { t: { subscriptions: ["x"] } } }).then((made) => {
    closers.push(() => made.close());
    return made;
  });
  const { connectionString } = await served;
  const made = azureEngine({ connectionString, timeout: 1000 });
  closers.push(() => made.close());
  return made;
}

async function remoteSession(): Promise<object> {
  const one = await remote();
  // Earlier ones are held still.
  const sessionId = String(closers.length);
  return one.acceptSession("s", { receiveMode: "peekLock", sessionId, maxWaitTimeInMs: 1000 });
}

function client(): Client {
  const clock = new ManualClock();
  const made = createClient({ engine: memoryEngine({ clock, queues }), closeEngine: true, serializer, clock });
  closers.push(() => made.close());
  return made;
}

async function sessionReceiver(): Promise<object> {
  const one = client();
  await one.createSender("s").sendMessages({ body: 1, sessionId: "a" });
  return one.acceptSession("s", "a");
}

async function received(): Promise<object> {
  const one = client();
  await one.createSender("a").sendMessages({ body: 1, replyTo: "a" });
  const [message] = await one.createReceiver("a").receiveMessages(1);
  return message ?? {};
}

async function session(): Promise<object> {
  const one = engine();
  const sender = await one.openSender("s");
  await sender.send([createEnvelope({ payload: new Uint8Array(1), brokerProperties: { sessionId: "a" } })]);
  return one.acceptSession("s", { receiveMode: "peekLock", sessionId: "a", maxWaitTimeInMs: 0 });
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "sobre-misuse-"));
  closers.push(() => rmSync(made, { recursive: true }));
  return made;
}

async function server(): Promise<object> {
  const made = await startServer({ queues: ["a"] });
  closers.push(() => made.close());
  return made;
}

const handlers = { processMessage: async () => undefined, processError: async () => undefined };
const schema = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
const proto = 'syntax = "proto3"; message Order { string id = 1; }';
const codecs = {
  amqp: () => amqp(),
  bytes: () => bytes(),
  dataContractJson: () => dataContractJson(),
  dataContractXml: () => dataContractXml(),
  java: () => java(),
  json: () => json(),
  msgpack: () => msgpack(),
  nbfx: () => nbfx(),
  nrbf: () => nrbf(),
  protobuf: () => protobuf({ protos: proto, type: "Order" }),
  text: () => text(),
};

const publicValues: Readonly<Record<string, unknown>> = values;

/** Values whose classes have static methods. */
const classSubjects: readonly Subject[] = Object.entries(publicValues).flatMap(([name, value]) =>
  typeof value === "function" &&
  Object.getOwnPropertyNames(value).some((key) => typeof Reflect.get(value, key) === "function")
    ? [{ name: `the class ${name}`, make: () => value }]
    : [],
);

/** One value of each class. */
const valueSubjects: readonly Subject[] = [
  { name: "Typed", make: () => new values.Typed("int", 1) },
  { name: "BigInteger", make: () => new values.BigInteger(1n) },
  { name: "DateTime", make: () => values.DateTime.fromDate(new Date(0)) },
  { name: "Decimal", make: () => new values.Decimal("1.5") },
  { name: "Duration", make: () => values.Duration.fromTicks(1n) },
  { name: "EnumValue", make: () => new values.EnumValue("Red", 1) },
  { name: "Instant", make: () => new values.Instant(1n) },
  { name: "IsoTime", make: () => new values.IsoTime("2024-02-29T12:34:56Z", "utc") },
];

/** An engine on the other side of a connection, and what it gives out. */
const remoteSubjects: readonly Subject[] = [
  { name: "Engine over AMQP", as: "Engine", make: remote },
  { name: "EngineAdmin over HTTP", as: "EngineAdmin", make: async () => (await remote()).admin },
  { name: "EngineSender over AMQP", as: "EngineSender", make: async () => (await remote()).openSender("a") },
  {
    name: "EngineReceiver over AMQP",
    as: "EngineReceiver",
    make: async () => (await remote()).openReceiver("a", { receiveMode: "peekLock" }),
  },
  { name: "EngineSessionReceiver over AMQP", as: "EngineSessionReceiver", make: remoteSession },
  { name: "Transaction over AMQP", as: "Transaction", make: async () => (await remote()).begin() },
].map((subject) => ({ ...subject, patience: 200 }));

/** The claim that a handler gets. */
async function inboxClaim(): Promise<object> {
  let made: object = {};
  const handle: object = idempotent(memoryInbox(), (_message, _context, claim) => void (made = claim));
  if (typeof handle === "function") await Reflect.apply(handle, undefined, [{ messageId: "a" }, undefined]);
  return made;
}

export const subjects: readonly Subject[] = [
  {
    name: "Inspector",
    make: () => createInspector({ serializer: createSerializer({ codecs: [json()] }) }),
  },
  { name: "Client", make: client },
  { name: "Sender", make: () => client().createSender("a") },
  { name: "Receiver", make: () => client().createReceiver("a") },
  { name: "SettlingVerbs", make: () => client().createReceiver("a", { receiveMode: "peekLock" }) },
  { name: "HeldSession", make: sessionReceiver },
  { name: "MessageBatch", make: () => client().createSender("a").createMessageBatch() },
  { name: "ReceivedMessage", make: received },
  { name: "Processor", make: () => client().startProcessor("a", handlers) },
  { name: "Requester", make: () => client().createRequester("a", { replyTo: "a" }) },
  { name: "Tracing", make: () => openTelemetry(api) },
  { name: "Outbox", make: () => startOutbox(engine(), memoryOutbox(), { relays: false }) },
  { name: "InboxClaim", make: inboxClaim },
  { name: "Serializer", make: () => serializer },
  { name: "CodecRegistry", make: () => createCodecRegistry([json()]) },
  ...Object.entries(codecs).map(([name, make]) => ({ name: `codec ${name}`, make })),
  { name: "Decoder", make: () => legacy()[0] ?? {} },
  { name: "Encoder", make: () => json() },
  { name: "AmqpExtension", make: () => timespanExtension },
  { name: "uriExtension", make: () => uriExtension },
  { name: "dateTimeOffsetExtension", make: () => dateTimeOffsetExtension },
  { name: "Engine", make: engine },
  { name: "EngineAdmin", make: () => engine().admin },
  { name: "EngineInspection", make: () => engine().inspection },
  { name: "EngineSender", make: () => engine().openSender("a") },
  { name: "EngineReceiver", make: () => engine().openReceiver("a", { receiveMode: "peekLock" }) },
  { name: "EngineSessionReceiver", make: session },
  { name: "Transaction", make: () => engine().begin() },
  ...remoteSubjects,
  { name: "Engine with faults", make: () => faultyEngine(engine(), new ManualClock()).engine },
  { name: "DurableEngine", make: durable, spared: ([target]) => typeof target === "string" },
  { name: "Faults", make: () => testEngine({ queues }).faults },
  { name: "MessageType", make: () => defineMessage("order", { 1: schema }) },
  { name: "Clock", make: () => systemClock },
  { name: "ManualClock", make: () => new ManualClock() },
  { name: "AmqpMessage", make: () => parseMessage(encodeMessage(createEnvelope({ payload: Uint8Array.of(1) }))) },
  { name: "TestHarness", make: () => createTestHarness({ serializer, queues: ["orders"] }) },
  { name: "MessageConverter", make: () => createMessageConverter({ serializer }) },
  {
    name: "EngineHarness",
    make: () => new EngineHarness({ engine: engine(), advance: () => Promise.resolve() }, 0),
  },
  { name: "PayloadStage", make: () => compression() },
  { name: "registry stage", make: () => registryIds() },
  { name: "cloud events", make: () => cloudEvents() },
  {
    name: "encryption",
    make: () => encryption({ keys: { k: new Uint8Array(32) }, keyId: "k" }),
  },
  { name: "claim check", make: () => claimCheck({ store: filePayloadStore({ folder: folder() }) }) },
  { name: "PayloadStore", make: () => filePayloadStore({ folder: folder() }) },
  { name: "FilePayloadStore", make: () => filePayloadStore({ folder: folder() }) },
  { name: "Quarantine", make: () => createQuarantine(folder()) },
  { name: "MigrationSource", make: () => createQueueSource(engine(), "a") },
  { name: "folder source", make: () => createFolderSource(folder()) },
  { name: "capture source", make: () => createCaptureSource("package.json") },
  { name: "SharedAccessSignature", make: () => readSas(writeSas("a", { name: "n", value: "v" }, 1000)) },
  { name: "Server", make: server },
  { name: "contractMatchers", make: () => contractMatchers },
  { name: "SobreMatchers", make: () => sobreMatchers },
  { name: "sobreMatchers", make: () => sobreMatchers },
  { name: "the class SobreError", make: () => SobreError },
  { name: "the maker typed", make: () => values.typed },
  { name: "AmqpMap", make: () => new values.AmqpMap([["a", 1]]) },
  ...valueSubjects,
  ...classSubjects,
];
