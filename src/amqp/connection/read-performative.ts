import type { ByteReader } from "../values/byte-reader.ts";
import { FieldReader } from "../values/field-reader.ts";
import { readDescriptor, required } from "./composite.ts";
import {
  type Attach,
  type Begin,
  code,
  type Detach,
  type Disposition,
  type Flow,
  type Open,
  type Role,
  type Terminus,
  type Transfer,
} from "./performative.ts";
import { errorField, stateField } from "./read-delivery-state.ts";
import type { WireError } from "./wire-fault.ts";

/** The body of a frame: the code of its performative, and a reader on the list of its fields. */
export function readBody(reader: ByteReader): number {
  const descriptor = readDescriptor(reader);
  if (descriptor === undefined) throw reader.fault("A frame has no performative", 0);
  return descriptor;
}

function inList<T>(reader: ByteReader, read: (fields: FieldReader) => T): T {
  const fields = new FieldReader(reader);
  const value = read(fields);
  fields.leave();
  return value;
}

export const readOpen = (reader: ByteReader): Open =>
  inList(reader, (fields) => {
    const open = {
      containerId: required(fields.symbol(), "container-id"),
      hostname: fields.symbol(),
      maxFrameSize: fields.uint(),
      channelMax: fields.ushort(),
      idleTimeOut: fields.uint(),
    };
    // Locales and capabilities.
    for (let skipped = 0; skipped < 4; skipped++) fields.skip();
    return { ...open, properties: fields.map() };
  });

export const readBegin = (reader: ByteReader): Begin =>
  inList(reader, (fields) => ({
    remoteChannel: fields.ushort(),
    nextOutgoingId: required(fields.uint(), "next-outgoing-id"),
    incomingWindow: required(fields.uint(), "incoming-window"),
    outgoingWindow: required(fields.uint(), "outgoing-window"),
    handleMax: fields.uint(),
  }));

export const readAttach = (reader: ByteReader): Attach =>
  inList(reader, (fields) => {
    const attach = {
      name: required(fields.symbol(), "name"),
      handle: required(fields.uint(), "handle"),
      role: role(required(fields.boolean(), "role")),
      sndSettleMode: fields.ubyte() ?? 2,
      rcvSettleMode: fields.ubyte() ?? 0,
      source: terminus(fields),
      target: terminus(fields),
    };
    // Unsettled deliveries are not resumed.
    fields.skip();
    fields.skip();
    const counts = { initialDeliveryCount: fields.uint(), maxMessageSize: fields.ulong() };
    fields.skip();
    fields.skip();
    return { ...attach, ...counts, properties: fields.map() };
  });

function terminus(fields: FieldReader): Terminus | undefined {
  if (!fields.present()) return undefined;
  const { reader } = fields;
  const start = reader.at;
  const descriptor = readDescriptor(fields.take());
  const inner = new FieldReader(reader);
  const value = terminusOf(descriptor, inner);
  if (value === undefined) throw reader.fault("A terminus is neither source, target nor coordinator", start);
  inner.leave();
  return value;
}

function terminusOf(descriptor: number | undefined, fields: FieldReader): Terminus | undefined {
  if (descriptor === code.coordinator) return { kind: "coordinator" };
  if (descriptor !== code.source && descriptor !== code.target) return undefined;
  const address = fields.symbol();
  // Durability, expiry policy and time-out.
  for (let skipped = 0; skipped < 3; skipped++) fields.skip();
  const dynamic = fields.boolean();
  if (descriptor === code.target) return { kind: "target", address, dynamic };
  fields.skip();
  return { kind: "source", address, dynamic, distributionMode: fields.symbol(), filter: fields.map() };
}

export const readFlow = (reader: ByteReader): Flow =>
  inList(reader, (fields) => ({
    nextIncomingId: fields.uint(),
    incomingWindow: required(fields.uint(), "incoming-window"),
    nextOutgoingId: required(fields.uint(), "next-outgoing-id"),
    outgoingWindow: required(fields.uint(), "outgoing-window"),
    handle: fields.uint(),
    deliveryCount: fields.uint(),
    linkCredit: fields.uint(),
    available: fields.uint(),
    drain: fields.boolean(),
    echo: fields.boolean(),
  }));

/** The payload is what follows: from where the reader then is to the end of the frame. */
export const readTransfer = (reader: ByteReader): Transfer =>
  inList(reader, (fields) => {
    const handle = required(fields.uint(), "handle");
    const deliveryId = fields.uint();
    const deliveryTag = fields.binary();
    const messageFormat = fields.uint();
    const settled = fields.boolean();
    const more = fields.boolean() ?? false;
    fields.skip();
    const state = stateField(fields);
    fields.skip();
    const aborted = fields.boolean() ?? false;
    return { handle, deliveryId, deliveryTag, messageFormat, settled, more, state, aborted };
  });

export const readDisposition = (reader: ByteReader): Disposition =>
  inList(reader, (fields) => {
    const from = role(required(fields.boolean(), "role"));
    const first = required(fields.uint(), "first");
    return {
      role: from,
      first,
      last: fields.uint() ?? first,
      settled: fields.boolean() ?? false,
      state: stateField(fields),
    };
  });

export const readDetach = (reader: ByteReader): Detach =>
  inList(reader, (fields) => ({
    handle: required(fields.uint(), "handle"),
    closed: fields.boolean() ?? false,
    error: errorField(fields),
  }));

/** The error of an end or close. */
export const readEnding = (reader: ByteReader): WireError | undefined => inList(reader, errorField);

const role = (isReceiver: boolean): Role => (isReceiver ? "receiver" : "sender");
