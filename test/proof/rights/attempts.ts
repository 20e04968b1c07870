import { deliveryToJson } from "../../../src/core/engine/delivery-json.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import type { Attempt, Operation } from "./model.ts";
import type { WireClient } from "./wire-client.ts";
import { deadLetters, seedId } from "./worlds.ts";

/** The namespace where something was done; `everywhere` where that cannot be seen, but that it was done. */
export type Outcome = string | undefined;
export const everywhere = "*";

/** A new message or entity, looked for when all is over. */
interface Mark {
  readonly id: string;
}

export type Result = Outcome | Mark;

const sendable = ["a", "a/next", "b", "ab", "t"];
const receivable = ["a", "a/next", "b", "ab", "t/Subscriptions/s"];
const pairs = [
  ["a", "b"],
  ["b", "a"],
  ["a", "a/next"],
  ["a/next", "ab"],
] as const;

const each = (operation: Operation, entities: readonly string[]): readonly Attempt[] =>
  entities.map((entity) => ({ operation, entity }));
const both = (operation: Operation): readonly Attempt[] =>
  pairs.map(([entity, other]) => ({ operation, entity, other }));

export const amqpAttempts: readonly Attempt[] = [
  ...each("send", sendable),
  ...each("schedule", ["a", "a/next", "b", "ab"]),
  ...each("receive", receivable),
  ...each("peek", receivable),
  ...both("transfer"),
];

export const httpAttempts: readonly Attempt[] = [
  ...each("send", sendable),
  ...each("receive", receivable),
  ...each("read", ["a", "a/next", "b", "t", "t/Subscriptions/s"]),
  ...each("create", ["a/new", "b/new", "new"]),
  ...both("forward"),
  ...each("list", [""]),
  ...each("control", [""]),
  ...each("controlOthers", [""]),
  ...each("show", ["a", "a/next", "b", "ab"]),
  ...each("look", [...receivable, "a/$DeadLetterQueue"]),
  ...each("purge", ["a/$DeadLetterQueue", "b/$DeadLetterQueue"]),
  ...each("import", ["a", "b"]),
  ...both("redrive"),
];

let made = 0;
const newId = (): string => `made-${made++}`;

/** The namespace that a message of the beginning is from. */
const seeded = (id: string | undefined): Outcome =>
  Object.keys(deadLetters).find((namespace) => seedId(namespace) === id);

/** Tries something over AMQP. */
export async function overAmqp(client: WireClient, { operation, entity, other }: Attempt): Promise<Result> {
  const id = newId();
  switch (operation) {
    case "send":
      return (await client.send(entity, id)) ? { id } : undefined;
    case "transfer":
      return (await client.send(entity, id, other)) ? { id } : undefined;
    case "schedule":
      return (await client.schedule(entity, id)) ? { id } : undefined;
    case "receive":
      return seeded(await client.receive(entity));
    case "peek":
      return seeded(await client.peek(entity));
    default:
      throw new Error(`${operation} is not done over AMQP.`);
  }
}

/** Sends a request; resolves to its answer, or `undefined` where it was refused as unauthorized. */
export type Ask = (method: string, path: string, options?: AskOptions) => Promise<Answer | undefined>;

interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Tries something over HTTP. */
export async function overHttp(ask: Ask, attempt: Attempt): Promise<Result> {
  const { operation, entity, other = "" } = attempt;
  const id = newId();
  const encoded = encodeURIComponent(entity);
  const done = async (mark: Result, ...asked: Parameters<Ask>): Promise<Result> =>
    (await ask(...asked)) === undefined ? undefined : mark;
  switch (operation) {
    case "send":
      return done({ id }, "POST", `${entity}/messages`, {
        headers: { brokerproperties: JSON.stringify({ MessageId: id }) },
      });
    case "receive":
      return seeded(idIn((await ask("DELETE", `${entity}/messages/head?timeout=0`))?.headers["brokerproperties"]));
    case "read":
      return done(everywhere, "GET", entity);
    case "create":
      return done({ id: `${entity}-${id}` }, "PUT", `${entity}-${id}`, { body: description("") });
    case "forward":
      return done({ id: `${entity}/${id}` }, "PUT", `${entity}/${id}`, { body: description(other) });
    case "list":
      return done(everywhere, "GET", "$Resources/queues");
    case "control":
      return done(everywhere, "DELETE", "$control/faults");
    case "controlOthers":
      return done("", "GET", "$control/namespaces");
    case "show":
      return shown((await ask("GET", "$ui/api/entities"))?.text, entity);
    case "look":
      return lookedAt(await ask("GET", `$ui/api/messages?entity=${encoded}&max=1`));
    case "purge":
      return done(
        everywhere,
        "POST",
        "$ui/api/purge",
        inJson({ entity, name: entity, selection: { sequenceNumbers: ["0"] } }),
      );
    case "import":
      return done({ id }, "POST", "$ui/api/import", inJson({ entity, lines: await captured(id) }));
    case "redrive":
      return redriven(await ask("POST", "$ui/api/redrives", inJson({ from: `${entity}/$DeadLetterQueue`, to: other })));
    default:
      throw new Error(`${operation} is not done over HTTP.`);
  }
}

const inJson = (body: unknown): AskOptions => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

const description = (forwardTo: string): string =>
  `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><ForwardTo>${forwardTo}</ForwardTo></QueueDescription></content></entry>`;

function idIn(brokerProperties: unknown): string | undefined {
  const found: unknown = typeof brokerProperties === "string" ? JSON.parse(brokerProperties) : undefined;
  return isRecord(found) ? String(found["MessageId"]) : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The members of a list in an answer. */
function listed(text: string | undefined, member: string): readonly Readonly<Record<string, unknown>>[] {
  const body: unknown = JSON.parse(text ?? "{}");
  const list: unknown = isRecord(body) ? body[member] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

const byDeadLetters = (count: unknown): Outcome => Object.keys(deadLetters).find((name) => deadLetters[name] === count);

const shown = (text: string | undefined, entity: string): Outcome =>
  byDeadLetters(listed(text, "entities").find(({ path }) => path === entity)?.["deadLetter"]);

function lookedAt(answer: Answer | undefined): Outcome {
  const [row] = listed(answer?.text, "rows");
  return seeded(row === undefined ? undefined : String(row["messageId"]));
}

function redriven(answer: Answer | undefined): Outcome {
  const job: unknown = answer === undefined ? undefined : JSON.parse(answer.text);
  return isRecord(job) ? everywhere : undefined;
}

/** A line of an export with one message. */
async function captured(messageId: string): Promise<string> {
  const engine = memoryEngine({ queues: ["q"] });
  const sender = await engine.openSender("q");
  await sender.send([createEnvelope({ payload: Uint8Array.of(49), brokerProperties: { messageId } })]);
  const [delivery] = await engine.peek("q", { maxMessages: 1 });
  await engine.close();
  if (delivery === undefined) throw new Error("Nothing was sent.");
  const line = JSON.stringify(deliveryToJson(delivery));
  return line;
}
