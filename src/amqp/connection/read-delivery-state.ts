import type { ByteReader } from "../values/byte-reader.ts";
import { FieldReader } from "../values/field-reader.ts";
import { readDescriptor, required } from "./composite.ts";
import { accepted, type DeliveryState, type Outcome } from "./delivery-state.ts";
import { code } from "./performative.ts";
import type { WireError } from "./wire-fault.ts";

/** The state of a delivery in the next field, or none. */
export function stateField(fields: FieldReader): DeliveryState | undefined {
  return fields.present() ? readState(fields.take()) : undefined;
}

/** The error in the next field, or none. */
export function errorField(fields: FieldReader): WireError | undefined {
  if (!fields.present()) return undefined;
  const { reader } = fields;
  const start = reader.at;
  if (readDescriptor(fields.take()) !== code.error) throw reader.fault("A field is not an error", start);
  const inner = new FieldReader(reader);
  const error = { condition: required(inner.symbol(), "condition"), description: inner.symbol(), info: inner.map() };
  inner.leave();
  return error;
}

function readState(reader: ByteReader): DeliveryState {
  const start = reader.at;
  const descriptor = readDescriptor(reader);
  const fields = new FieldReader(reader);
  const state = stateOf(descriptor, fields);
  if (state === undefined) throw reader.fault("A delivery has a state that is not known", start);
  fields.leave();
  return state;
}

function stateOf(descriptor: number | undefined, fields: FieldReader): DeliveryState | undefined {
  switch (descriptor) {
    case code.accepted:
      return accepted;
    case code.rejected:
      return { kind: "rejected", error: errorField(fields) };
    case code.released:
      return { kind: "released" };
    case code.modified:
      return {
        kind: "modified",
        deliveryFailed: fields.boolean() ?? false,
        undeliverableHere: fields.boolean() ?? false,
        annotations: fields.map(),
      };
    case code.declared:
      return { kind: "declared", transactionId: required(fields.binary(), "txn-id").slice() };
    case code.received:
      return { kind: "received" };
    case code.transactionalState: {
      const transactionId = required(fields.binary(), "txn-id").slice();
      return { kind: "transactional", transactionId, outcome: outcomeOf(stateField(fields)) };
    }
    default:
      return undefined;
  }
}

function outcomeOf(state: DeliveryState | undefined): Outcome | undefined {
  return state === undefined || state.kind === "received" || state.kind === "transactional" ? undefined : state;
}
