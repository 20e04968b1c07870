import type { Engine, EngineSender, TransactionOption } from "../../../engine/index.ts";
import type { Envelope } from "../../../envelope/index.ts";
import { batchMessageFormat, decodeBatch } from "../../batch.ts";
import { decodeMessage } from "../../decode-message.ts";
import { accepted, type DeliveryState } from "../delivery-state.ts";
import type { IncomingDelivery, ReceivingLink } from "../receiving-link.ts";
import { wireErrorOf } from "../wire-fault.ts";
import { textOf } from "./settlement-of.ts";
import type { Transactions } from "./transactions.ts";

/** Messages that a sender may send before it hears of them. */
const credit = 1000;

/** Where a sending client's link ends: what comes in goes to an entity. */
export class SendEnd {
  readonly #link: ReceivingLink;
  readonly #sender: EngineSender;
  readonly #transactions: Transactions;

  private constructor(link: ReceivingLink, sender: EngineSender, transactions: Transactions) {
    this.#link = link;
    this.#sender = sender;
    this.#transactions = transactions;
  }

  /** Opens the link when the entity can be sent to. @throws SobreError as `openSender` does. */
  static async open(link: ReceivingLink, entity: string, engine: Engine, transactions: Transactions): Promise<void> {
    const { remote } = link;
    const destination = textOf(remote?.properties?.get("com.microsoft:transfer-destination-address"));
    const sender =
      destination === undefined
        ? await engine.openSender(entity)
        : await engine.openSender(destination, { via: entity });
    if (link.state !== "asked") {
      await sender.close();
      return;
    }
    const end = new SendEnd(link, sender, transactions);
    link.open(
      { source: remote?.source, target: remote?.target, maxMessageSize: BigInt(sender.maxMessageSize) },
      {
        delivered: (delivery) => end.#delivered(delivery),
        tooLarge: (id, settled) => end.#tooLarge(id, settled),
        detached: () => void sender.close(),
      },
    );
    link.keepCredit(credit);
  }

  #delivered(delivery: IncomingDelivery): void {
    void this.#send(delivery).then(
      (state) => this.#answer(delivery, state),
      (error: unknown) => this.#answer(delivery, { kind: "rejected", error: wireErrorOf(error) }),
    );
  }

  async #send({ payload, messageFormat, settled, state }: IncomingDelivery): Promise<DeliveryState> {
    const envelopes = read(payload, messageFormat);
    const transactionId = state?.kind === "transactional" ? state.transactionId : undefined;
    const options: TransactionOption & { settled: boolean } =
      transactionId === undefined ? { settled } : { settled, transaction: this.#transactions.find(transactionId) };
    await this.#sender.send(envelopes, options);
    return transactionId === undefined ? accepted : { kind: "transactional", transactionId, outcome: accepted };
  }

  #answer({ id, settled }: IncomingDelivery, state: DeliveryState): void {
    if (!settled) this.#link.settle(id, state);
  }

  #tooLarge(id: number, settled: boolean): void {
    if (settled) return;
    const description = `The message is larger than the ${this.#sender.maxMessageSize} bytes that the entity takes. TrackingId: ${crypto.randomUUID()}`;
    this.#link.settle(id, { kind: "rejected", error: { condition: "amqp:link:message-size-exceeded", description } });
  }
}

function read(payload: Uint8Array, messageFormat: number): readonly Envelope[] {
  if (messageFormat === batchMessageFormat) return decodeBatch(payload, { check: true });
  return [decodeMessage(payload, { check: true })];
}
