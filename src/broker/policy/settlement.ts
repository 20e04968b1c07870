import type { Modification, Settlement } from "../../core/engine/delivery.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { deadLetterEnvelope, type DeadLetterMark, legalMark } from "./dead-letter.ts";
import type { EntityQueue } from "./entities.ts";
import { withModification } from "./relabelled-envelope.ts";

/** A settlement that has been checked, with the envelope that the message then has. */
export type DecidedSettlement =
  | { readonly kind: "complete" | "release" }
  | { readonly kind: "abandon" | "defer"; readonly envelope: Envelope }
  | { readonly kind: "deadLetter"; readonly envelope: Envelope; readonly deadLetter: DeadLetterMark };

/**
 * Decides a settlement of a message in a queue; `check` throws for an envelope that cannot be stored.
 *
 * @throws SobreError for illegal properties, and `InvalidOperation` for dead-lettering on a sub-queue.
 */
export function decideSettlement(
  { part, address }: EntityQueue<unknown>,
  before: Envelope,
  settlement: Settlement,
  check: (envelope: Envelope) => void,
): DecidedSettlement {
  switch (settlement.kind) {
    case "complete":
    case "release":
      return settlement;
    case "abandon":
    case "defer": {
      const { kind, propertiesToModify } = settlement;
      return { kind, envelope: modified(before, propertiesToModify, check) };
    }
    case "deadLetter": {
      if (part !== "messages")
        throw invalidOperation(
          `Nothing is dead-lettered again on '${address}'. Complete the message, or leave it there.`,
        );
      const { deadLetterReason: reason, deadLetterErrorDescription: description, propertiesToModify } = settlement;
      const deadLetter = legalMark({ reason, description, source: undefined });
      const envelope = deadLetterEnvelope(before, deadLetter, propertiesToModify);
      check(envelope);
      return { kind: "deadLetter", envelope, deadLetter };
    }
    default:
      return settlement satisfies never;
  }
}

function modified(
  envelope: Envelope,
  properties: Modification | undefined,
  check: (envelope: Envelope) => void,
): Envelope {
  if (properties === undefined) return envelope;
  const changed = withModification(envelope, properties);
  check(changed);
  return changed;
}
