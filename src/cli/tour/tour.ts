import { isDeepStrictEqual } from "node:util";
import { createClient } from "../../client/client/client.ts";
import type { Client } from "../../client/client/client-interface.ts";
import type { Processor } from "../../client/client/processor-loops.ts";
import type { ReceivedMessage } from "../../client/client/received-message.ts";
import { withoutDeadLetterMarks } from "../../client/client/dead-lettering.ts";
import type { DeserializeResult } from "../../core/codec/result.ts";
import { type Likeness, looksLike } from "../../core/codec/looks-like.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import { memoryEngine } from "../../broker/memory/memory-engine.ts";
import { amend } from "../../core/envelope/envelope.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { compression } from "../../client/stages/compression.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Expectation, Letter, Mailbox } from "./mailbox.ts";

/** The outcome of sending a mailbox through a queue. */
export interface Tour {
  /** How the messages are read, one sentence each. */
  readonly rules: readonly string[];
  readonly stops: readonly TourStop[];
  readonly deadLetters: readonly TourDeadLetter[];
  /** `undefined` when the mailbox repairs nothing. */
  readonly repair: Repair | undefined;
  readonly milliseconds: number;
}

/** A message and its outcome. */
export interface TourStop {
  readonly letter: Letter;
  readonly result: DeserializeResult;
  /** Whether a fallback read it rather than the codec of its content type or body kind. */
  readonly byFallback: boolean;
  /** The format that the payload of an unreadable message seems to have. */
  readonly likeness: Likeness | undefined;
  /** How it differs from the mailbox's expectation, in one sentence; `undefined` if it does not. */
  readonly surprise: string | undefined;
}

/** One message of the dead-letter queue. */
export interface TourDeadLetter {
  readonly sequenceNumber: bigint;
  readonly file: string;
  readonly reason: string;
  readonly description: string;
  /** Whether its payload has exactly the bytes that were sent. */
  readonly untouched: boolean;
}

/** A dead letter that was given another content type and sent again. */
export interface Repair {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string;
  readonly stop: TourStop;
}

/** A serializer, described for people. */
export interface TourSerializer {
  readonly serializer: Serializer;
  readonly rules: readonly string[];
}

const queue = "mailbox";
const deadLetterQueue = `${queue}/$DeadLetterQueue`;

/** Sends every message of the mailbox through a queue in memory and receives them with a processor. */
export async function takeTour(mailbox: Mailbox, { serializer, rules }: TourSerializer): Promise<Tour> {
  const start = performance.now();
  const engine = memoryEngine({ queues: [queue] });
  const client = createClient({ engine, serializer, stages: [compression()] });
  try {
    const sender = client.createSender(queue);
    await sender.sendEnvelopes(mailbox.letters.map(({ envelope }) => envelope));
    const results = await processAll(client, mailbox.letters);
    const stops = results.map((entry) => inspect(entry, serializer));
    const deadLetters = await listDeadLetters(client, mailbox.letters);
    const broken = stops.find(({ letter, result }) => letter.repair !== undefined && !result.ok);
    const repair = broken && (await redrive(client, serializer, broken.letter));
    return { rules, stops, deadLetters, repair, milliseconds: performance.now() - start };
  } finally {
    await client.close();
    await engine.close();
  }
}

/** Runs a processor until each of the letters was read or dead-lettered; resolves in their order. */
async function processAll(
  client: Client,
  letters: readonly Letter[],
): Promise<readonly (readonly [Letter, DeserializeResult])[]> {
  const results = new Map<unknown, DeserializeResult>();
  const processors: Processor[] = [];
  const all = new Promise<void>((resolve, reject) => {
    const note = (messageId: unknown, result: DeserializeResult): void => {
      results.set(messageId, result);
      if (results.size === letters.length) resolve();
    };
    if (letters.length === 0) return resolve();
    const processor = client.startProcessor(queue, {
      processMessage: ({ messageId, result }) => note(messageId, result),
      processError({ envelope, error, errorSource, attempts }) {
        if (errorSource === "deserialize" && envelope !== undefined && error instanceof SobreError) {
          note(envelope.brokerProperties.messageId, { ok: false, error, attempts });
        } else reject(error);
      },
    });
    processors.push(processor);
  });
  try {
    await all;
  } finally {
    await Promise.all(processors.map((processor) => processor.close()));
  }
  return letters.flatMap((letter): readonly (readonly [Letter, DeserializeResult])[] => {
    const result = results.get(letter.file);
    return result === undefined ? [] : [[letter, result]];
  });
}

function inspect([letter, result]: readonly [Letter, DeserializeResult], { registry }: Serializer): TourStop {
  const { bodyKind, brokerProperties } = letter.envelope;
  const declared = registry.select(brokerProperties.contentType, bodyKind).decoders;
  const byFallback = result.ok && result.attempts.length > 0 && !declared.some(({ name }) => name === result.codec);
  const likeness = result.ok ? undefined : looksLike(letter.envelope.payload);
  const surprise = letter.intact
    ? compare(letter.expect, result)
    : "The bytes are not those that the manifest was made for.";
  return { letter, result, byFallback, likeness, surprise };
}

function compare(expect: Expectation, result: DeserializeResult): string | undefined {
  if ("deadLetter" in expect) {
    if (result.ok) return `It was read by ${result.codec}, and should have been dead-lettered.`;
    if (result.error.code !== expect.deadLetter) return `Its code is ${result.error.code}, not ${expect.deadLetter}.`;
    // Codecs that the first bytes ruled out made no attempt.
    const tried = result.attempts.flatMap(({ codec, outcome }) => (outcome === "vetoed" ? [] : [codec])).join(", ");
    if (tried !== expect.tried.join(", ")) return `It was tried by ${tried}, not by ${expect.tried.join(", ")}.`;
    const saysSo = expect.looksLike === undefined || result.error.message.includes(`like ${expect.looksLike} (`);
    return saysSo ? undefined : `Its description does not say that it looks like ${expect.looksLike}.`;
  }
  if (!result.ok) return `It was dead-lettered, and ${expect.readBy} should have read it.`;
  if (result.codec !== expect.readBy) return `It was read by ${result.codec}, not by ${expect.readBy}.`;
  const value = result.body === undefined ? undefined : valueToJson(result.body);
  return isDeepStrictEqual(value, expect.value) ? undefined : "Its value is not the one in the manifest.";
}

async function listDeadLetters(client: Client, letters: readonly Letter[]): Promise<readonly TourDeadLetter[]> {
  if (letters.length === 0) return [];
  const receiver = client.createReceiver(deadLetterQueue);
  const messages = await receiver.peekMessages(letters.length);
  return messages.map((message) => ({
    sequenceNumber: message.sequenceNumber,
    file: String(message.messageId),
    reason: message.deadLetterReason ?? "",
    description: message.deadLetterErrorDescription ?? "",
    untouched: letters.some(({ file, envelope }) => file === message.messageId && sameBytes(envelope, message)),
  }));
}

function sameBytes({ payload }: Letter["envelope"], { envelope }: ReceivedMessage): boolean {
  return Buffer.compare(payload, envelope.payload) === 0;
}

/** Takes a dead letter, gives it the content type that its letter says, and sends it again. */
async function redrive(client: Client, serializer: Serializer, letter: Letter): Promise<Repair | undefined> {
  if (letter.repair === undefined) return undefined;
  const { contentType, expect } = letter.repair;
  const receiver = client.createReceiver(deadLetterQueue);
  const messages = await receiver.receiveMessages(maxDeadLetters, { maxWaitTimeInMs: 0 });
  const message = messages.find(({ messageId }) => messageId === letter.file);
  for (const other of messages) if (other !== message) await receiver.abandonMessage(other);
  if (message === undefined) return undefined;
  const envelope = amend(withoutDeadLetterMarks(message.envelope), { brokerProperties: { contentType } });
  await client.createSender(queue).sendEnvelopes(envelope);
  await receiver.completeMessage(message);
  const repaired: Letter = { ...letter, envelope, expect };
  const [entry] = await processAll(client, [repaired]);
  const before = letter.envelope.brokerProperties.contentType;
  return entry && { file: letter.file, before, after: contentType, stop: inspect(entry, serializer) };
}

/** Enough for every dead letter of a mailbox that fits on a screen. */
const maxDeadLetters = 1000;
