import type { ByteReader } from "../../../core/amqp-values/byte-reader.ts";
import {
  binaryField,
  booleanField,
  mapField,
  present,
  readFields,
  skipFields,
  symbolField,
  take,
  ubyteField,
  uintField,
  ulongField,
  ushortField,
} from "../../../core/amqp-values/field-reader.ts";
import { readDescriptor, required } from "./composite.ts";
import {
  type AttachPerformative,
  type Begin,
  type Detach,
  type Disposition,
  type Flow,
  type OpenPerformative,
  type Role,
  type Terminus,
  type TransferPerformative,
  code,
} from "./performative.ts";
import type { WireError } from "./wire-fault.ts";
import { type DeliveryState, type DeliveryOutcome, accepted } from "./delivery-state.ts";

/** The body of a frame: the code of its performative, and a reader on the list of its fields. */
export function readBody(reader: ByteReader): number {
  const descriptor = readDescriptor(reader);
  if (descriptor === undefined) throw reader.fault("A frame has no performative", 0);
  return descriptor;
}

export const readOpen = (reader: ByteReader): OpenPerformative =>
  readFields(reader, () => {
    const open = {
      containerId: required(symbolField(reader), "container-id"),
      hostname: symbolField(reader),
      maxFrameSize: uintField(reader),
      channelMax: ushortField(reader),
      idleTimeOut: uintField(reader),
    };
    // Locales and capabilities.
    skipFields(reader, 4);
    return { ...open, properties: mapField(reader) };
  });

export const readBegin = (reader: ByteReader): Begin =>
  readFields(reader, () => ({
    remoteChannel: ushortField(reader),
    nextOutgoingId: required(uintField(reader), "next-outgoing-id"),
    incomingWindow: required(uintField(reader), "incoming-window"),
    outgoingWindow: required(uintField(reader), "outgoing-window"),
    handleMax: uintField(reader),
  }));

export const readAttach = (reader: ByteReader): AttachPerformative =>
  readFields(reader, () => {
    // The texts live as long as the link: texts cut from one that was read ahead would keep all of it in memory.
    reader.textEnd = 0;
    const name = required(symbolField(reader), "name");
    const handle = required(uintField(reader), "handle");
    const isReceiver = required(booleanField(reader), "role");
    const sndSettleMode = ubyteField(reader) ?? 2;
    const rcvSettleMode = ubyteField(reader) ?? 0;
    const source = terminus(reader);
    const target = terminus(reader);
    // Unsettled deliveries are not resumed.
    skipFields(reader, 2);
    const initialDeliveryCount = uintField(reader);
    const maxMessageSize = ulongField(reader);
    skipFields(reader, 2);
    return {
      name,
      handle,
      role: role(isReceiver),
      sndSettleMode,
      rcvSettleMode,
      source,
      target,
      initialDeliveryCount,
      maxMessageSize,
      properties: mapField(reader),
    };
  });

function terminus(reader: ByteReader): Terminus | undefined {
  if (!present(reader)) return undefined;
  const start = reader.at;
  const descriptor = readDescriptor(take(reader));
  const value = readFields(reader, () => terminusOf(descriptor, reader));
  if (value === undefined) throw reader.fault("A terminus is neither source, target nor coordinator", start);
  return value;
}

function terminusOf(descriptor: number | undefined, reader: ByteReader): Terminus | undefined {
  if (descriptor === code.coordinator) return { kind: "coordinator" };
  if (descriptor !== code.source && descriptor !== code.target) return undefined;
  const address = symbolField(reader);
  // Durability, expiry policy and time-out.
  skipFields(reader, 3);
  const dynamic = booleanField(reader);
  if (descriptor === code.target) return { kind: "target", address, dynamic };
  skipFields(reader, 1);
  return { kind: "source", address, dynamic, distributionMode: symbolField(reader), filter: mapField(reader) };
}

export const readFlow = (reader: ByteReader): Flow =>
  readFields(reader, () => ({
    nextIncomingId: uintField(reader),
    incomingWindow: required(uintField(reader), "incoming-window"),
    nextOutgoingId: required(uintField(reader), "next-outgoing-id"),
    outgoingWindow: required(uintField(reader), "outgoing-window"),
    handle: uintField(reader),
    deliveryCount: uintField(reader),
    linkCredit: uintField(reader),
    available: uintField(reader),
    drain: booleanField(reader),
    echo: booleanField(reader),
  }));

/** The payload follows: from the reader's position to the end of the frame. */
export const readTransfer = (reader: ByteReader): TransferPerformative =>
  readFields(reader, () => {
    const handle = required(uintField(reader), "handle");
    const deliveryId = uintField(reader);
    const deliveryTag = binaryField(reader);
    const messageFormat = uintField(reader);
    const settled = booleanField(reader);
    const more = booleanField(reader) ?? false;
    skipFields(reader, 1);
    const state = stateField(reader);
    skipFields(reader, 1);
    const aborted = booleanField(reader) ?? false;
    return { handle, deliveryId, deliveryTag, messageFormat, settled, more, state, aborted };
  });

export const readDisposition = (reader: ByteReader): Disposition =>
  readFields(reader, () => {
    const from = role(required(booleanField(reader), "role"));
    const first = required(uintField(reader), "first");
    return {
      role: from,
      first,
      last: uintField(reader) ?? first,
      settled: booleanField(reader) ?? false,
      state: stateField(reader),
    };
  });

export const readDetach = (reader: ByteReader): Detach =>
  readFields(reader, () => ({
    handle: required(uintField(reader), "handle"),
    closed: booleanField(reader) ?? false,
    error: errorField(reader),
  }));

/** The error of an end or close. */
export const readEnding = (reader: ByteReader): WireError | undefined => readFields(reader, errorField);

const role = (isReceiver: boolean): Role => (isReceiver ? "receiver" : "sender");

/** The state of a delivery in the next field, or none. */
function stateField(reader: ByteReader): DeliveryState | undefined {
  return present(reader) ? readState(take(reader)) : undefined;
}

/** The error in the next field, or none. */
function errorField(reader: ByteReader): WireError | undefined {
  if (!present(reader)) return undefined;
  const start = reader.at;
  if (readDescriptor(take(reader)) !== code.error) throw reader.fault("A field is not an error", start);
  return readFields(reader, () => ({
    condition: required(symbolField(reader), "condition"),
    description: symbolField(reader),
    info: mapField(reader),
  }));
}

function readState(reader: ByteReader): DeliveryState {
  const start = reader.at;
  const descriptor = readDescriptor(reader);
  const state = readFields(reader, () => stateOf(descriptor, reader));
  if (state === undefined) throw reader.fault("A delivery has an unknown state", start);
  return state;
}

function stateOf(descriptor: number | undefined, reader: ByteReader): DeliveryState | undefined {
  switch (descriptor) {
    case code.accepted:
      return accepted;
    case code.rejected:
      return { kind: "rejected", error: errorField(reader) };
    case code.released:
      return { kind: "released" };
    case code.modified:
      return {
        kind: "modified",
        deliveryFailed: booleanField(reader) ?? false,
        undeliverableHere: booleanField(reader) ?? false,
        annotations: mapField(reader),
      };
    case code.declared:
      return { kind: "declared", transactionId: required(binaryField(reader), "txn-id").slice() };
    case code.received:
      return { kind: "received" };
    case code.transactionalState: {
      const transactionId = required(binaryField(reader), "txn-id").slice();
      return { kind: "transactional", transactionId, outcome: outcomeOf(stateField(reader)) };
    }
    default:
      return undefined;
  }
}

function outcomeOf(state: DeliveryState | undefined): DeliveryOutcome | undefined {
  return state === undefined || state.kind === "received" || state.kind === "transactional" ? undefined : state;
}
