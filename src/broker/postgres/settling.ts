import { deadLetterEnvelope, legalMark } from "../policy/dead-letter.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";
import { checkProperties } from "../../wire/amqp/message/kept-envelope.ts";
import type { LockToken, Settlement } from "../../core/engine/delivery.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import { readHeld } from "./held.ts";
import type { StoredMessage } from "./messages.ts";
import { amendStored, giveBack, type InLane, moved, remove, type Returning, setAside } from "./returns.ts";

type Modification = Extract<Settlement, { kind: "abandon" }>["propertiesToModify"];

/** Carries out the settlement of a held message. @throws SobreError `MessageLockLost`, `SessionLockLost`, and for illegal properties. */
export async function settleHeld(returning: Returning, token: LockToken, settlement: Settlement): Promise<void> {
  const message = await readHeld(returning, token);
  switch (settlement.kind) {
    case "complete":
      return remove(returning, [message]);
    case "abandon": {
      const amended = await amendStored(returning, message, modified(message, settlement.propertiesToModify));
      return giveBack(returning, [amended], "counted");
    }
    case "release":
      return giveBack(returning, [message], "uncounted");
    case "defer": {
      const amended = await amendStored(returning, message, modified(message, settlement.propertiesToModify));
      return setAside(returning, amended);
    }
    case "deadLetter":
      return deadLetter(returning, message, settlement);
    default:
      return settlement satisfies never;
  }
}

/** Checks a settlement as far as possible without carrying it out. @throws SobreError like {@link settleHeld}. */
export async function checkHeld(within: InLane, token: LockToken, settlement: Settlement): Promise<void> {
  const message = await readHeld(within, token);
  if (settlement.kind === "abandon" || settlement.kind === "defer") modified(message, settlement.propertiesToModify);
  if (settlement.kind === "deadLetter") marked(within.lane, message, settlement);
}

type DeadLettering = Extract<Settlement, { kind: "deadLetter" }>;

async function deadLetter(returning: Returning, message: StoredMessage, settlement: DeadLettering): Promise<void> {
  const { lane, routing } = returning;
  const { envelope, mark } = marked(lane, message, settlement);
  await remove(returning, [message]);
  if (lane.entity.type === "topic") return;
  await routing.bury(lane.entity, { ...moved(message), envelope, size: sizeOfEnvelope(envelope) }, mark, message);
}

function marked(
  { part, address }: Returning["lane"],
  { envelope }: StoredMessage,
  { deadLetterReason: reason, deadLetterErrorDescription: description, propertiesToModify }: DeadLettering,
): { readonly envelope: Envelope; readonly mark: ReturnType<typeof legalMark> } {
  if (part !== 0)
    throw invalidOperation(`Nothing is dead-lettered again on '${address}'. Complete the message, or leave it there.`);
  const mark = legalMark({ reason, description, source: undefined });
  const dead = deadLetterEnvelope(envelope, mark, propertiesToModify);
  checkProperties(dead);
  return { envelope: dead, mark };
}

function modified({ envelope }: StoredMessage, properties: Modification): Envelope {
  if (properties === undefined) return envelope;
  const changed = amend(envelope, { applicationProperties: properties });
  checkProperties(changed);
  return changed;
}
