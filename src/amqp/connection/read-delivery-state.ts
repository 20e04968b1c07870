import type { ByteReader } from "../values/byte-reader.ts";
import { binaryField, booleanField, mapField, present, readFields, symbolField, take } from "../values/field-reader.ts";
import { readDescriptor, required } from "./composite.ts";
import { accepted, type DeliveryState, type Outcome } from "./delivery-state.ts";
import { code } from "./performative.ts";
import type { WireError } from "./wire-fault.ts";

/** The state of a delivery in the next field, or none. */
export function stateField(reader: ByteReader): DeliveryState | undefined {
  return present(reader) ? readState(take(reader)) : undefined;
}

/** The error in the next field, or none. */
export function errorField(reader: ByteReader): WireError | undefined {
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
  if (state === undefined) throw reader.fault("A delivery has a state that is not known", start);
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

function outcomeOf(state: DeliveryState | undefined): Outcome | undefined {
  return state === undefined || state.kind === "received" || state.kind === "transactional" ? undefined : state;
}
