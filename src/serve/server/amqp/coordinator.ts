import type { Engine } from "../../../core/engine/engine.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../core/values/typed.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { parseMessage } from "../../../wire/amqp/message/amqp-message.ts";
import { accepted, type DeliveryState } from "../../../wire/amqp/connection/delivery-state.ts";
import { code } from "../../../wire/amqp/connection/performative.ts";
import type { IncomingDelivery, ReceivingLink } from "../../../wire/amqp/connection/receiving-link.ts";
import type { WireError } from "../../../wire/amqp/connection/wire-fault.ts";
import { ReadSigns } from "./read-signs.ts";
import type { Transactions } from "./transactions.ts";

/** Opens the link to a transaction coordinator (AMQP 1.0 part 4.3). */
export function openCoordinator(link: ReceivingLink, engine: Engine, transactions: Transactions): void {
  const answer = async ({ payload }: IncomingDelivery): Promise<DeliveryState> => {
    const { descriptor, fields } = requestOf(payload);
    if (descriptor === code.declare) return declare();
    const [id, fail] = fields;
    if (descriptor !== code.discharge || !(id instanceof Uint8Array))
      throw new SobreError(
        "InvalidArgument",
        "A coordinator accepts only declare, or discharge with the transaction's id.",
      );
    await transactions.discharge(id, fail === true);
    return accepted;
  };
  const open: Uint8Array[] = [];
  const signs = new ReadSigns(link);
  const declare = async (): Promise<DeliveryState> => {
    const transactionId = await transactions.declare(engine, signs);
    open.push(transactionId);
    // The link's open transactions are rolled back (AMQP 1.0 part 4.3).
    if (link.state !== "attached") await transactions.forget(open);
    return { kind: "declared", transactionId };
  };
  const { remote } = link;
  link.open(
    { source: remote?.source, target: remote?.target },
    {
      delivered: (delivery) =>
        void answer(delivery).then(
          (state) => link.settle(delivery.id, state),
          (error: unknown) => link.settle(delivery.id, { kind: "rejected", error: transactionError(error, link) }),
        ),
      flowed: () => signs.flowed(),
      detached: () => void transactions.forget(open),
    },
  );
  link.keepCredit(100);
}

interface CoordinatorRequest {
  readonly descriptor: number;
  readonly fields: readonly AmqpValue[];
}

function requestOf(payload: Uint8Array): CoordinatorRequest {
  const { body } = parseMessage(payload);
  const value = body?.kind === "value" ? body.value : undefined;
  const content = value instanceof Typed ? value.value : undefined;
  if (typeof content !== "object" || !("descriptor" in content) || !("value" in content))
    return { descriptor: -1, fields: [] };
  const { descriptor, value: list } = content;
  const fields = Array.isArray(list) ? list : [];
  if (!(descriptor instanceof Typed) || list instanceof AmqpMap) return { descriptor: -1, fields };
  if (descriptor.value === "amqp:declare:list") return { descriptor: code.declare, fields };
  if (descriptor.value === "amqp:discharge:list") return { descriptor: code.discharge, fields };
  return { descriptor: typeof descriptor.value === "bigint" ? Number(descriptor.value) : -1, fields };
}

function transactionError(error: unknown, { session }: ReceivingLink): WireError {
  const told = session.connection.errorOf(error);
  if (!(error instanceof SobreError) || error.code !== "InvalidOperation") return told;
  return { ...told, condition: "amqp:transaction:unknown-id" };
}
