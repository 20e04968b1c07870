import { typed } from "../../../core/values/typed-makers.ts";
import { AmqpMap } from "../../../core/values/typed.ts";
import type { Engine, EngineSender } from "../../../core/engine/engine.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import { accepted, type DeliveryState } from "../../../wire/amqp/connection/delivery-state.ts";
import type {
  IncomingDelivery,
  ReceivingLink,
  ReceivingLinkEvents,
} from "../../../wire/amqp/connection/receiving-link.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { maxPathLength } from "../path.ts";
import { pathOf } from "./node-address.ts";
import { readSent } from "./sent-message.ts";
import { looseText } from "../../../core/amqp-values/loose-value.ts";
import type { CommittingLink } from "./client-transaction.ts";
import type { Transactions } from "./transactions.ts";

/** Messages that a sender may send before any is settled. */
const credit = 1000;

/** The entity that a link is attached to, and the destination of its messages. */
interface Targets {
  readonly entity: string;
  readonly destination: string | undefined;
}

/** The entity that the messages are transferred to from the one that the link is attached to. */
export function destinationOf({ remote }: ReceivingLink): string | undefined {
  const address = looseText(remote?.properties?.get("com.microsoft:transfer-destination-address"));
  return address === undefined || address.length > maxPathLength ? address : pathOf(address);
}

/** No arrivals; never written to. */
const noBatches: ReceivedBatch[] = [];

/** Received messages, and their deliveries to settle. */
interface ReceivedBatch {
  readonly id: number;
  readonly settled: boolean;
  readonly envelopes: readonly Envelope[];
}

/** The link of a sending client: its messages go to an entity. */
export class InboundLink implements ReceivingLinkEvents, CommittingLink {
  readonly #link: ReceivingLink;
  readonly #sender: EngineSender;
  readonly #transactions: Transactions;
  /** The messages received since the last send. */
  #arrivals: ReceivedBatch[] = noBatches;
  #awaited = false;
  /** Whether messages that come together are sent one by one. */
  #isSeparate = false;
  #sending: Promise<void> | undefined;
  committed: Promise<void> | undefined;
  /** The last send in a transaction, until it has been answered; it never rejects. */
  #lastInTurn: Promise<void> | undefined;

  private constructor(link: ReceivingLink, sender: EngineSender, transactions: Transactions) {
    this.#link = link;
    this.#sender = sender;
    this.#transactions = transactions;
  }

  /** Opens the link if the entity accepts sends. @throws SobreError as `openSender` does. */
  static async open(
    link: ReceivingLink,
    { entity, destination }: Targets,
    engine: Engine,
    transactions: Transactions,
  ): Promise<void> {
    const { remote } = link;
    const sender =
      destination === undefined
        ? await engine.openSender(entity)
        : await engine.openSender(destination, { via: entity });
    if (link.state !== "asked") {
      await sender.close();
      return;
    }
    const end = new InboundLink(link, sender, transactions);
    const most = BigInt(sender.maxMessageSize);
    // The official client for .NET otherwise fills batches to 1 MiB only.
    const properties = new AmqpMap([[typed.symbol("com.microsoft:max-message-batch-size"), typed.long(most)]]);
    link.open({ source: remote?.source, target: remote?.target, maxMessageSize: most, properties }, end);
    link.keepCredit(credit);
    // Not needed any more, and the links of a connection would hold much memory.
    link.remote = undefined;
  }

  delivered({ id, payload, messageFormat, settled, state }: IncomingDelivery): void {
    if (state?.kind === "transactional") {
      void this.#sendIn(state.transactionId, { id, settled }, () => readSent(payload, messageFormat));
      return;
    }
    let envelopes: readonly Envelope[];
    try {
      envelopes = readSent(payload, messageFormat);
    } catch (error) {
      this.#refuse(id, settled, error);
      return;
    }
    const arrival = { id, settled, envelopes };
    if (this.#arrivals === noBatches) this.#arrivals = [arrival];
    else this.#arrivals.push(arrival);
    if (this.#awaited) return;
    this.#awaited = true;
    // Messages from one read are sent together.
    queueMicrotask(() => {
      this.#awaited = false;
      this.#flush();
    });
  }

  /** Sends the arrivals in order: pre-settled messages and batches separately, the others together. */
  #flush(): void {
    if (this.#sending !== undefined) return;
    const arrivals = this.#arrivals;
    this.#arrivals = noBatches;
    let first = 0;
    for (let next = 0; next < arrivals.length; next++) {
      const arrival = arrivals[next];
      if (arrival === undefined || isSingle(arrival)) continue;
      if (first < next && !this.#sendTogether(arrivals.slice(first, next))) {
        this.#arrivals = [...arrivals.slice(next), ...this.#arrivals];
        return;
      }
      this.#sendAlone(arrival);
      first = next + 1;
    }
    if (first < arrivals.length) this.#sendTogether(first === 0 ? arrivals : arrivals.slice(first));
  }

  /** False if later messages must wait for the outcome, so that they do not overtake a resend. */
  #sendTogether(arrivals: readonly ReceivedBatch[]): boolean {
    const [only] = arrivals;
    if (arrivals.length === 1 && only !== undefined) {
      this.#sendAlone(only);
      return true;
    }
    if (this.#isSeparate) {
      for (const arrival of arrivals) this.#sendAlone(arrival);
      return true;
    }
    this.#sending = this.#send(arrivals);
    return false;
  }

  async #send(arrivals: readonly ReceivedBatch[]): Promise<void> {
    try {
      await this.#sender.send(arrivals.flatMap(({ envelopes }) => envelopes));
      for (const { id } of arrivals) this.#link.settle(id, accepted);
    } catch (error) {
      // Together they are a batch, which a partitioned entity refuses if it has several keys.
      this.#isSeparate ||= error instanceof SobreError && error.code === "InvalidOperation";
      // None was accepted: each is sent again for its own outcome.
      for (const arrival of arrivals) this.#sendAlone(arrival);
    }
    this.#sending = undefined;
    this.#flush();
  }

  #sendAlone({ id, settled, envelopes }: ReceivedBatch): void {
    void this.#sender.send(envelopes, { settled }).then(
      () => this.#answer(id, settled, accepted),
      (error: unknown) => this.#refuse(id, settled, error),
    );
  }

  /** Sends in a transaction: its commit fails if that does, even if nobody waits for the outcome. */
  async #sendIn(
    transactionId: Uint8Array,
    { id, settled }: Pick<ReceivedBatch, "id" | "settled">,
    read: () => readonly Envelope[],
  ): Promise<void> {
    const work = this.#transactions.join(transactionId, this);
    try {
      await work.run(async (transaction) => {
        const envelopes = read();
        await this.#inTurn(() => this.#sender.send(envelopes, { transaction }));
      });
      this.#answer(id, settled, { kind: "transactional", transactionId, outcome: accepted });
    } catch (error) {
      this.#refuse(id, settled, error);
      this.#link.session.flush();
    }
    work.end(!settled);
  }

  /** Sends after the earlier sends in transactions: engines may await something before they take part in one. */
  #inTurn(send: () => Promise<void>): Promise<void> {
    const sent = this.#lastInTurn === undefined ? send() : this.#lastInTurn.then(send);
    const turn = sent
      .catch(() => undefined)
      .finally(() => {
        if (this.#lastInTurn === turn) this.#lastInTurn = undefined;
      });
    this.#lastInTurn = turn;
    return sent;
  }

  detached(): void {
    // There is nobody to report it to.
    this.#close().catch(() => undefined);
  }

  async #close(): Promise<void> {
    this.#flush();
    while (this.#sending !== undefined) await this.#sending;
    while (this.#lastInTurn !== undefined) await this.#lastInTurn;
    await this.#sender.close();
  }

  #answer(id: number, settled: boolean, state: DeliveryState): void {
    if (!settled) this.#link.settle(id, state);
  }

  #refuse(id: number, settled: boolean, error: unknown): void {
    this.#answer(id, settled, { kind: "rejected", error: this.#link.session.connection.errorOf(error) });
  }

  tooLarge(id: number, settled: boolean, state: DeliveryState | undefined): void {
    const error = new SobreError(
      "MessageSizeExceeded",
      `The message exceeds the entity's limit of ${this.#sender.maxMessageSize} bytes.`,
    );
    const refused = (): never => {
      throw error;
    };
    if (state?.kind === "transactional") void this.#sendIn(state.transactionId, { id, settled }, refused);
    else this.#refuse(id, settled, error);
  }
}

/** Whether it can be sent together with others: a single message that is not pre-settled. */
const isSingle = ({ envelopes, settled }: ReceivedBatch): boolean => envelopes.length === 1 && !settled;
