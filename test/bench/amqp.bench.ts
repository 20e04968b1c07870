import { pack, unpack } from "msgpackr";
import rhea from "rhea";
import { type AmqpMessage, parseMessage } from "../../src/wire/amqp/message/amqp-message.ts";
import { decodeMessage } from "../../src/wire/amqp/message/decode-message.ts";
import { type MessageInit, writeMessage } from "../../src/wire/amqp/message/write-message.ts";
import type { Envelope } from "../../src/core/envelope/index.ts";
import { nestedMap, type SampleMessage, variedMessages } from "./amqp-messages.ts";
import { type Comparison, compare, type Contender, type Figure } from "./harness.ts";

/** AMQP messages against rhea, and against msgpackr's plain pack and unpack of the same content. */
export async function bench(): Promise<readonly Figure[]> {
  return [...varied(), ...large(), ...nested()];
}

function varied(): readonly Figure[] {
  const samples = variedMessages();
  const ours = samples.map(forUs);
  const theirs = samples.map(forRhea);
  const plain = samples.map(forMsgpackr);
  const bytes = ours.map(asReceived);
  const packed = plain.map((message) => pack(message));
  const encoding = compare({
    rhea: each(theirs, (message) => rhea.message.encode(message)),
    sobre: each(ours, (message) => writeMessage(message)),
    msgpackr: each(plain, (message) => pack(message)),
  });
  const decoding = compare({
    rhea: each(bytes, (message) => rhea.message.decode(message)),
    "sobre, every section": each(bytes, (message) => materialise(parseMessage(message))),
    "sobre, two properties": each(bytes, (message) => readTwo(parseMessage(message))),
    "sobre, envelope with all properties": each(bytes, (message) => readAll(decodeMessage(message))),
    "sobre, borders": each(bytes, (message) => parseMessage(message)),
    msgpackr: each(packed, (message) => unpack(message)),
  });
  const size = bytes.reduce((sum, message) => sum + message.length, 0) / bytes.length;
  print(`encode, ${samples.length} messages of ${Math.round(size)} bytes`, encoding);
  print("decode the same", decoding);
  return [
    faster("512 varied messages: encode, times rhea", encoding, "sobre", "rhea", 9),
    faster("512 varied messages: encode, times msgpackr", encoding, "sobre", "msgpackr", 1),
    faster("512 varied messages: decode every section, times rhea", decoding, "sobre, every section", "rhea", 4),
    faster(
      "512 varied messages: decode every section, times msgpackr",
      decoding,
      "sobre, every section",
      "msgpackr",
      1,
    ),
    faster(
      "512 varied messages: open and read two properties, times rhea",
      decoding,
      "sobre, two properties",
      "rhea",
      8,
    ),
    faster("512 varied messages: section borders, times rhea", decoding, "sobre, borders", "rhea", 40),
  ];
}

function large(): readonly Figure[] {
  const data = Buffer.alloc(4096, "abc");
  const properties = {
    messageId: "8b4e1f0a-7c52-4f3e",
    contentType: "application/octet-stream",
    creationTime: new Date(0),
  };
  const ours: MessageInit = { header: { durable: true }, properties, body: { kind: "data", sections: [data] } };
  const theirs = {
    durable: true,
    message_id: properties.messageId,
    content_type: properties.contentType,
    creation_time: properties.creationTime,
    body: rhea.message.data_section(data),
  };
  const bytes = asReceived(ours);
  const compared = compare({
    "rhea encode": () => rhea.message.encode(theirs),
    "sobre encode": () => writeMessage(ours),
    "rhea decode": () => rhea.message.decode(bytes),
    "sobre decode": () => readEnvelope(decodeMessage(bytes)),
    "sobre, every section": () => materialise(parseMessage(bytes)),
  });
  print("4 KiB of data", compared);
  return [
    faster("4 KiB of data: encode, times rhea", compared, "sobre encode", "rhea encode", 5),
    faster("4 KiB of data: decode every section, times rhea", compared, "sobre, every section", "rhea decode", 5),
    faster(
      "4 KiB of data: decode to an envelope, read payload and body kind, times rhea",
      compared,
      "sobre decode",
      "rhea decode",
      5,
    ),
  ];
}

function nested(): readonly Figure[] {
  const map = nestedMap();
  const bytes = Buffer.from(rhea.message.encode({ body: map }));
  const message: MessageInit = { body: { kind: "value", value: map } };
  const ours = asReceived(message);
  const compared = compare({
    "rhea encode": () => rhea.message.encode({ body: map }),
    "sobre encode": () => writeMessage(message),
    "rhea decode": () => rhea.message.decode(ours),
    "sobre decode": () => parseMessage(ours).body,
    "sobre decode of rhea's": () => parseMessage(bytes).body,
  });
  print("nested map of 50", compared);
  return [
    faster("nested map of 50: encode, times rhea", compared, "sobre encode", "rhea encode", 6),
    faster("nested map of 50: decode, times rhea", compared, "sobre decode", "rhea decode", 5),
  ];
}

/** Takes the next of the items with each call, so that no contender sees one twice in a row. */
function each<T>(items: readonly T[], run: (item: T) => unknown): Contender {
  let index = 0;
  return () => {
    const item = items[index];
    index = index + 1 === items.length ? 0 : index + 1;
    return item === undefined ? undefined : run(item);
  };
}

/** Bytes as a socket gives them. */
const asReceived = (message: MessageInit): Buffer => Buffer.from(writeMessage(message));

function forUs({ header, properties, applicationProperties, data }: SampleMessage): MessageInit {
  return { header, properties, applicationProperties, body: { kind: "data", sections: [data] } };
}

function forRhea({ header, properties, applicationProperties, data }: SampleMessage): object {
  return {
    ...header,
    message_id: properties.messageId,
    user_id: properties.userId,
    to: properties.to,
    subject: properties.subject,
    reply_to: properties.replyTo,
    correlation_id: properties.correlationId,
    content_type: properties.contentType,
    content_encoding: properties.contentEncoding,
    absolute_expiry_time: properties.absoluteExpiryTime,
    creation_time: properties.creationTime,
    group_id: properties.groupId,
    group_sequence: properties.groupSequence,
    reply_to_group_id: properties.replyToGroupId,
    application_properties: { ...applicationProperties },
    body: rhea.message.data_section(data),
  };
}

function forMsgpackr({ properties, ...rest }: SampleMessage): object {
  const set = Object.entries(properties).filter(([, value]) => value !== undefined);
  return { ...rest, properties: Object.fromEntries(set) };
}

function materialise(message: AmqpMessage): readonly unknown[] {
  const { header, deliveryAnnotations, messageAnnotations, properties, applicationProperties, body, footer } = message;
  return [header, deliveryAnnotations, messageAnnotations, properties, applicationProperties, body, footer];
}

function readEnvelope({ payload, bodyKind }: Envelope): boolean {
  return payload.byteLength > 0 && bodyKind === "data";
}

function readAll({ brokerProperties, applicationProperties, payload }: Envelope): readonly unknown[] {
  return [brokerProperties, applicationProperties, payload];
}

function readTwo({ properties }: AmqpMessage): boolean {
  return properties?.messageId === properties?.subject;
}

function faster(name: string, comparison: Comparison, contender: string, baseline: string, target: number): Figure {
  const measured = 1 / comparison.ratio(contender, baseline);
  return { name, measured, bound: "least", target, floor: target * 0.85, unit: "×" };
}

function print(what: string, { names, nanoseconds }: Comparison): void {
  const times = names.map((name) => `${name} ${Math.round(nanoseconds[name] ?? 0)}`);
  console.log(`  nanoseconds, ${what}: ${times.join(", ")}`);
}
