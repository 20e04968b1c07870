import type { LockToken, Settlement } from "../../core/engine/delivery.ts";
import { checkProperties } from "../../wire/amqp/message/kept-envelope.ts";
import { changed } from "../policy/incoming.ts";
import { type DecidedSettlement, decideSettlement } from "../policy/settlement.ts";
import { readHeld } from "./held.ts";
import type { TableMessage } from "./messages.ts";
import { amendStored, giveBack, type InQueue, moved, remove, type Returning, setAside } from "./returns.ts";

/** Checks a settlement as far as possible without carrying it out. @throws SobreError like {@link settleHeld}. */
export async function checkHeld(
  within: InQueue,
  token: LockToken,
  settlement: Settlement,
): Promise<readonly [TableMessage, DecidedSettlement]> {
  const message = await readHeld(within, token);
  return [message, decideSettlement(within.queue, message.envelope, settlement, checkProperties)];
}

/** Carries out the settlement of a held message. @throws SobreError `MessageLockLost`, `SessionLockLost`, and for illegal properties. */
export async function settleHeld(returning: Returning, token: LockToken, settlement: Settlement): Promise<void> {
  const { queue, routing, now } = returning;
  const [message, decided] = await checkHeld(returning, token, settlement);
  switch (decided.kind) {
    case "complete":
      return remove(returning, [message]);
    case "release":
      return giveBack(returning, [message], "uncounted");
    case "abandon":
      return giveBack(returning, [await amendStored(returning, message, decided.envelope)], "counted");
    case "defer":
      return setAside(returning, await amendStored(returning, message, decided.envelope));
    case "deadLetter": {
      const { envelope, deadLetter } = decided;
      await remove(returning, [message]);
      if (queue.entity.type !== "topic")
        routing.bury(queue.entity, changed(moved(message), envelope), deadLetter, message, now);
      return;
    }
    default:
      return decided satisfies never;
  }
}
