import { type Delivery, lockToken, type ReceiveMode, type Settlement } from "../../../core/engine/delivery.ts";
import { typed } from "../../../core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../../core/values/typed.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { parseMessage } from "../../../wire/amqp/message/amqp-message.ts";
import { encodeMessage } from "../../../wire/amqp/message/encode-message.ts";
import type { Engine } from "../../../core/engine/engine.ts";
import { sizeOf } from "../../../core/envelope/size-of.ts";
import type { ManagementContext, ManagementOperation } from "./management-operation.ts";
import type { RequestArguments } from "./request-arguments.ts";
import { readOne } from "./sent-message.ts";
import { checkHolder, lockingEngine } from "./session-operations.ts";
import { propertiesOf } from "./settlement-of.ts";

/** Maximum number of messages in one peek request. */
const maxPeeked = 250;
/** Maximum number of sequence numbers in one request. */
const maxNumbers = 1000;
/** Maximum bytes of messages that one request receives. */
const maxReceived = 4 * 2 ** 20;
/** Maximum bytes of one answer, which must fit into the peer's memory. */
const maxBytes = 2 ** 20;

const peek: ManagementOperation = async (given, { engine, entity }) => {
  const deliveries = await engine.peek(entity, {
    maxMessages: Math.min(given.count("message-count"), maxPeeked),
    fromSequenceNumber: given.long("from-sequence-number"),
    sessionId: given.text("session-id"),
  });
  if (deliveries.length === 0) return undefined;
  const omitted = given.flag("omit-message-body") ?? false;
  const messages: AmqpValue[] = [];
  let bytes = 0;
  for (const delivery of deliveries) {
    const whole = encodeMessage(delivery.envelope, { delivery });
    const message = omitted ? withoutBody(whole) : whole;
    bytes += message.byteLength;
    if (bytes > maxBytes && messages.length > 0) break;
    messages.push(new AmqpMap([["message", message]]));
  }
  return { messages };
};

/** The sections before the body: a message without its content. */
function withoutBody(message: Uint8Array): Uint8Array {
  const body = parseMessage(message)
    .borders()
    .find(({ name }) => isOfBody.has(name));
  return message.subarray(0, body?.start);
}

const isOfBody: ReadonlySet<string> = new Set(["data", "sequence", "value"]);

const renewLock: ManagementOperation = async (given, { engine, entity }) => {
  const expirations: Date[] = [];
  for (const token of given.texts("lock-tokens")) expirations.push(await engine.renew(entity, lockToken(token)));
  return { expirations: typed.array("timestamp", expirations) };
};

const schedule: ManagementOperation = async (given, { engine, entity, transaction }) => {
  const envelopes = given.items("messages").map((item) => {
    const message = item instanceof AmqpMap ? item.get("message") : undefined;
    if (message instanceof Uint8Array) return readOne(message.slice());
    throw new SobreError("InvalidArgument", "The request's messages must be maps, each with a message.");
  });
  const numbers = await engine.schedule(entity, envelopes, { transaction });
  return { "sequence-numbers": typed.array("long", numbers) };
};

const cancel: ManagementOperation = async (given, { engine, entity }) => {
  await engine.cancel(entity, given.longs("sequence-numbers"));
  return {};
};

/** By settle modes of receivers. */
const receiveModes: readonly ReceiveMode[] = ["receiveAndDelete", "peekLock"];

const receiveBySequenceNumber: ManagementOperation = async (given, context) => {
  const { entity } = context;
  const mode = given.integer("receiver-settle-mode") ?? 1;
  const receiveMode = receiveModes[mode];
  if (receiveMode === undefined)
    throw new SobreError("InvalidArgument", "The receiver-settle-mode of a request is 0 or 1.");
  const sessionId = given.text("session-id") ?? associatedSession(context);
  checkHolder(sessionId, context);
  const engine = await lockingEngine(sessionId, context);
  const numbers = given.longs("sequence-numbers");
  const fitting = await fittingInto(maxReceived, engine, entity, { numbers, sessionId });
  const deliveries = await engine.receiveDeferred(entity, fitting, { receiveMode, sessionId });
  return { messages: deliveries.map(received) };
};

/** The session that the request's link holds: the client for Go names that link, and no session. */
function associatedSession({ sessions, associatedLink }: ManagementContext): string | undefined {
  if (associatedLink === undefined) return undefined;
  return Array.from(sessions.values()).find(({ link }) => link === associatedLink)?.receiver.sessionId;
}

/** As many of the numbers as have messages within this many bytes; the others are left for another request. */
async function fittingInto(
  most: number,
  engine: Engine,
  entity: string,
  { numbers, sessionId }: { readonly numbers: readonly bigint[]; readonly sessionId: string | undefined },
): Promise<readonly bigint[]> {
  if (numbers.length > maxNumbers)
    throw new SobreError(
      "InvalidArgument",
      `A request may have at most ${maxNumbers} sequence numbers. Split it into several.`,
    );
  let bytes = 0;
  for (const [index, fromSequenceNumber] of numbers.entries()) {
    const [found] = await engine.peek(entity, { maxMessages: 1, fromSequenceNumber, sessionId });
    if (found?.sequenceNumber === fromSequenceNumber) bytes += sizeOf(found.envelope);
    if (bytes > most && index > 0) return numbers.slice(0, index);
  }
  return numbers;
}

function received(delivery: Delivery): AmqpMap {
  const message = encodeMessage(delivery.envelope, { delivery });
  const entries: [string, AmqpValue][] = [["message", message]];
  if (delivery.lockToken !== undefined) entries.unshift(["lock-token", typed.uuid(delivery.lockToken)]);
  return new AmqpMap(entries);
}

const updateDisposition: ManagementOperation = async (given, context) => {
  checkHolder(given.text("session-id"), context);
  const { engine, entity, transaction } = context;
  const settlement = settlementFrom(given);
  for (const token of given.texts("lock-tokens"))
    await engine.settle(entity, lockToken(token), settlement, { transaction });
  return {};
};

function settlementFrom(given: RequestArguments): Settlement {
  const propertiesToModify = propertiesOf(given.map("properties-to-modify"));
  switch (given.requiredText("disposition-status")) {
    case "completed":
      return { kind: "complete" };
    case "abandoned":
      return { kind: "abandon", propertiesToModify };
    case "unlocked":
      return { kind: "release" };
    // The first is the clients' spelling.
    case "defered":
    case "deferred":
      return { kind: "defer", propertiesToModify };
    case "suspended":
      return {
        kind: "deadLetter",
        deadLetterReason: given.text("deadletter-reason"),
        deadLetterErrorDescription: given.text("deadletter-description"),
        propertiesToModify,
      };
    default:
      throw new SobreError(
        "InvalidArgument",
        "The request's disposition-status must be completed, abandoned, defered or suspended.",
      );
  }
}

const batchDelete: ManagementOperation = async (given, { engine, entity }) => {
  const deleted = await engine.deleteMessages(entity, {
    maxMessages: Math.min(given.count("message-count"), 4000),
    beforeEnqueueTime: given.time("enqueued-time-utc"),
    sessionId: given.text("session-id"),
  });
  return deleted === 0 ? undefined : { "message-count": typed.int(deleted) };
};

/** Operations on messages, by name. */
export const messageOperations: Readonly<Record<string, ManagementOperation>> = {
  "peek-message": peek,
  "renew-lock": renewLock,
  "schedule-message": schedule,
  "cancel-scheduled-message": cancel,
  "receive-by-sequence-number": receiveBySequenceNumber,
  "update-disposition": updateDisposition,
  "batch-delete-messages": batchDelete,
};
