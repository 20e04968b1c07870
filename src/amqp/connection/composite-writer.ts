import type { ByteWriter } from "../values/byte-writer.ts";
import type { DeliveryState, Outcome } from "./delivery-state.ts";
import { FieldWriter } from "../values/field-writer.ts";
import { code, type Terminus } from "./performative.ts";
import type { WireError } from "./wire-fault.ts";

/** Writes a source or target, or none. */
export function writeTerminus(fields: FieldWriter, terminus: Terminus | undefined): void {
  if (terminus === undefined) return fields.none();
  const inner = FieldWriter.described(fields.next(), code[terminus.kind]);
  inner.string(terminus.address);
  if (terminus.filter !== undefined) {
    for (let field = 0; field < 6; field++) inner.none();
    inner.map(terminus.filter);
  }
  inner.end();
}

/** Writes an error, or none. */
export function writeError(fields: FieldWriter, error: WireError | undefined): void {
  if (error === undefined) return fields.none();
  const inner = FieldWriter.described(fields.next(), code.error);
  inner.symbol(error.condition);
  inner.string(error.description);
  inner.map(error.info);
  inner.end();
}

/** Writes the state of a delivery. */
export function writeState(writer: ByteWriter, state: DeliveryState): void {
  if (state.kind === "transactional") {
    const fields = FieldWriter.described(writer, code.transactionalState);
    fields.binary(state.transactionId);
    if (state.outcome !== undefined) writeOutcome(fields.next(), state.outcome);
    return fields.end();
  }
  if (state.kind !== "received") writeOutcome(writer, state);
}

function writeOutcome(writer: ByteWriter, outcome: Outcome): void {
  const fields = FieldWriter.described(writer, code[outcome.kind]);
  switch (outcome.kind) {
    case "rejected":
      writeError(fields, outcome.error);
      break;
    case "modified":
      fields.boolean(outcome.deliveryFailed);
      fields.boolean(outcome.undeliverableHere);
      fields.map(outcome.annotations);
      break;
    case "declared":
      fields.binary(outcome.transactionId);
      break;
    case "accepted":
    case "released":
      break;
    default:
      outcome satisfies never;
  }
  fields.end();
}
