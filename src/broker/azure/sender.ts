import { checkEnvelopes } from "../../core/engine/arguments.ts";
import { batchMessageFormat, encodeBatch } from "../../wire/amqp/message/batch.ts";
import { encodeMessage } from "../../wire/amqp/message/encode-message.ts";
import type { DeliveryState } from "../../wire/amqp/connection/delivery-state.ts";
import type { SendingLink } from "../../wire/amqp/connection/sending-link.ts";
import type { EngineSender, SendOptions, Transaction } from "../../core/engine/engine.ts";
import { typed } from "../../core/values/typed-makers.ts";
import { AmqpMap } from "../../core/values/typed.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { AmqpBroker } from "./broker.ts";
import { closed } from "../../core/engine/refusals.ts";
import { brokerError } from "./broker-errors.ts";
import { detached, openSending } from "./open-link.ts";
import { withoutDelivery } from "./sent-message.ts";

/** The target of a sender. */
export interface SenderAddress {
  readonly entity: string;
  /** The entity that accepts the messages and transfers them to the target. */
  readonly via: string | undefined;
}

/** The parts of a connection that a sender needs. */
export interface SenderEvents {
  readonly closed: (sender: AzureSender) => void;
  /** Makes a call with the state that ties a message to a transaction. @throws SobreError for one of another engine. */
  readonly inTransaction: <T>(transaction: Transaction, call: (state: DeliveryState) => Promise<T>) => Promise<T>;
}

/** A send that has no outcome yet. */
interface UnansweredSend {
  readonly payload: Uint8Array;
  readonly messageFormat: number;
  readonly settled: boolean;
  /** The state that ties it to a transaction. */
  readonly state: DeliveryState | undefined;
  readonly resolve: () => void;
  readonly reject: (error: SobreError) => void;
}

/** The size assumed when a broker announces none. */
const unlimited = 2 ** 31 - 1;

/** A link that sends to an entity; after the broker has ended it, the next send reopens it. */
export class AzureSender implements EngineSender {
  readonly #broker: AmqpBroker;
  readonly #address: SenderAddress;
  readonly #events: SenderEvents;
  /** The sends that wait for credit. */
  readonly #queue: UnansweredSend[] = [];
  readonly #unsettled = new Set<UnansweredSend>();
  #link: SendingLink | undefined;
  #opening: Promise<SendingLink> | undefined;
  #maxMessageSize = unlimited;
  #tag = 0;
  #refusal: SobreError | undefined;
  #allClosed: () => void = () => undefined;

  constructor(broker: AmqpBroker, address: SenderAddress, events: SenderEvents) {
    this.#broker = broker;
    this.#address = address;
    this.#events = events;
  }

  get maxMessageSize(): number {
    return this.#maxMessageSize;
  }

  /** Opens the link. @throws SobreError the broker's refusal. */
  async open(): Promise<void> {
    await this.#attached();
  }

  send(envelopes: readonly Envelope[], { settled = false, transaction }: SendOptions = {}): Promise<void> {
    if (transaction === undefined) return this.#send(envelopes, settled, undefined);
    return this.#events.inTransaction(transaction, (state) => this.#send(envelopes, settled, state));
  }

  async #send(envelopes: readonly Envelope[], settled: boolean, state: DeliveryState | undefined): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal;
    checkEnvelopes(envelopes);
    if (envelopes.length === 0) return;
    if (this.#link?.state !== "attached") await this.#attached();
    const bare = envelopes.map(withoutDelivery);
    const [first] = bare;
    if (first === undefined) return;
    const isBatch = bare.length > 1;
    const payload = isBatch ? encodeBatch(bare) : encodeMessage(first);
    if (payload.byteLength > this.#maxMessageSize) {
      // Nobody would hear of its refusal either.
      if (settled) return;
      throw this.#tooLarge(payload.byteLength);
    }
    await new Promise<void>((resolve, reject) => {
      const messageFormat = isBatch ? batchMessageFormat : 0;
      this.#queue.push({ payload, messageFormat, settled, state, resolve, reject });
      this.#pump();
    });
  }

  async close(): Promise<void> {
    if (this.#refusal?.code === "Closed") return;
    this.#refusal = closed("sender");
    this.#events.closed(this);
    await this.#opening?.catch(() => undefined);
    const link = this.#link;
    if (link?.state === "attached") {
      await detached(link, new Promise<void>((resolve) => (this.#allClosed = resolve)), this.#broker.timing);
    }
    this.#fail(this.#refusal);
  }

  /** Called when the connection is closing. */
  drop(): void {
    this.#refusal = closed("sender");
    this.#fail(this.#refusal);
  }

  #tooLarge(size: number): SobreError {
    return new SobreError(
      "MessageSizeExceeded",
      `A send of ${size} bytes exceeds the limit of '${this.#address.entity}', ${this.#maxMessageSize} bytes. Send fewer or smaller messages, or use a claim check.`,
    );
  }

  #attached(): Promise<SendingLink> {
    if (this.#link?.state === "attached") return Promise.resolve(this.#link);
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(): Promise<SendingLink> {
    const { entity, via } = this.#address;
    const address = via ?? entity;
    const session = await this.#broker.session(address);
    const properties =
      via === undefined
        ? undefined
        : new AmqpMap([[typed.symbol("com.microsoft:transfer-destination-address"), entity]]);
    const name = `sender-${crypto.randomUUID()}`;
    try {
      const link = await openSending(session, {
        name,
        timing: this.#broker.timing,
        setup: {
          source: { kind: "source", address: name },
          target: { kind: "target", address },
          sndSettleMode: 2,
          properties,
        },
        events: {
          flowed: () => this.#pump(),
          disposed: (state, context) => this.#disposed(state, context),
          gone: (error) => this.#gone(error),
          closed: () => {
            session.end();
            this.#allClosed();
          },
        },
      });
      this.#link = link;
      const size = Number(link.remote?.maxMessageSize ?? 0n);
      this.#maxMessageSize = size > 0 ? size : unlimited;
      return link;
    } catch (error) {
      session.end();
      throw error;
    }
  }

  #pump(): void {
    const link = this.#link;
    if (link === undefined) return;
    while (link.ready) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      const tag = Buffer.alloc(4);
      tag.writeUInt32BE(this.#tag++ >>> 0);
      const { payload, messageFormat, settled, state } = next;
      if (settled) next.resolve();
      else this.#unsettled.add(next);
      link.send({ payload, tag, settled, messageFormat, state, context: next });
    }
  }

  #disposed(state: DeliveryState | undefined, context: unknown): void {
    if (!this.#isUnsettled(context)) return;
    this.#unsettled.delete(context);
    const refusal = refusalOf(state);
    if (refusal === undefined) context.resolve();
    else context.reject(refusal);
  }

  #isUnsettled(context: unknown): context is UnansweredSend {
    const known: ReadonlySet<unknown> = this.#unsettled;
    return known.has(context);
  }

  #gone(error: SobreError): void {
    // An entity created again under the name is another one.
    if (error.code === "MessagingEntityNotFound") this.#refusal ??= error;
    this.#fail(this.#refusal ?? error);
  }

  #fail(error: SobreError): void {
    const waiting = [...this.#unsettled, ...this.#queue];
    this.#unsettled.clear();
    this.#queue.length = 0;
    for (const { reject } of waiting) reject(error);
  }
}

function refusalOf(state: DeliveryState | undefined): SobreError | undefined {
  const outcome = state?.kind === "transactional" ? state.outcome : state;
  switch (outcome?.kind) {
    case "rejected":
      return brokerError(outcome.error ?? { condition: "amqp:internal-error" });
    case "released":
    case "modified":
      return new SobreError("ServiceBusy", "The broker released the message without accepting it. Send it again.");
    default:
      return undefined;
  }
}
