import { setImmediate } from "node:timers/promises";
import {
  accepted,
  type DeliveryState,
  type ReceivingLink,
  type SendingLink,
} from "../../../src/wire/amqp/connection/index.ts";
import type { DeliveryOutcome as WireOutcome } from "../../../src/wire/amqp/connection/delivery-state.ts";
import type { AmqpSession } from "../../../src/wire/amqp/connection/session.ts";
import { parseMessage } from "../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../src/wire/amqp/message/write-message.ts";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../../src/core/values/typed.ts";
import type { Random } from "../../random.support.ts";
import type { Outcome } from "./record.ts";
import { source, type Target, targets } from "./setup.ts";
import { Wire } from "./wire.ts";

/** A delivery that a peer has, not settled. */
export interface Held {
  readonly session: AmqpSession;
  readonly id: number;
  readonly tag: Uint8Array;
  readonly messageId: string;
}

/** A link of a peer that sends to a target. */
export interface TargetLink {
  readonly name: string;
  readonly link: SendingLink;
  readonly target: Target;
}

type Answered = (state: DeliveryState | undefined) => void;

const nothing = (): void => undefined;

/** A client that speaks AMQP by itself: several sessions and links, each of them several times. */
export class Peer {
  readonly name: string;
  readonly #wire: Wire;
  readonly #random: Random;
  readonly #delivered: Set<string>;
  readonly #sessions: AmqpSession[] = [];
  readonly #coordinators: SendingLink[] = [];
  readonly #requests = new Map<string, SendingLink>();
  readonly #waiting = new Set<Answered>();
  readonly senders: TargetLink[] = [];
  /** To an entity that takes small messages only. */
  small: SendingLink | undefined;
  readonly held: Held[] = [];
  isCut = false;
  #tag = 0;

  /** @param delivered Gets the ids of the messages that it is given. */
  constructor(engine: Engine, name: string, random: Random, delivered: Set<string>) {
    this.name = name;
    this.#random = random;
    this.#delivered = delivered;
    this.#wire = new Wire(engine, name, random);
  }

  /** Opens its sessions and links; resolves when it can send by each. */
  async open(): Promise<void> {
    await this.#wire.opened;
    for (let count = 0; count < 3; count++) this.#sessions.push(this.#wire.client.openSession());
    for (const [index, session] of this.#sessions.entries()) {
      for (const target of targets) {
        const name = `${this.name} ${index} ${target.address} ${target.destination}`;
        const properties =
          target.destination === undefined
            ? undefined
            : new AmqpMap([[typed.symbol("com.microsoft:transfer-destination-address"), target.destination]]);
        this.senders.push({ name, target, link: this.#sender(session, name, target.address, properties) });
      }
      if (index > 0) this.#receive(session, `${this.name} from ${index}`);
      this.#coordinators.push(this.#sender(session, `${this.name} coordinator ${index}`, undefined));
    }
    const last = this.#session();
    this.small = this.#sender(last, `${this.name} small`, "small");
    for (const entity of [source, "out"]) {
      const replyTo = `${this.name} answers ${entity}`;
      const replies = last.links.newReceiver(replyTo);
      replies.open(
        { source: { kind: "source", address: `${entity}/$management` }, target: { kind: "target", address: replyTo } },
        { delivered: nothing, detached: nothing },
      );
      replies.keepCredit(1000);
      this.#requests.set(entity, this.#sender(last, `${this.name} requests ${entity}`, `${entity}/$management`));
    }
    const links = [...this.senders.map(({ link }) => link), ...this.#coordinators, ...this.#requests.values()];
    while (!this.isCut && !links.every((link) => link.ready)) await setImmediate();
  }

  /** Begins a transaction; resolves to its id, or `undefined` when the connection was cut. */
  async declare(): Promise<Uint8Array | undefined> {
    const state = await this.#ask(0x31, [null]);
    return state?.kind === "declared" ? state.transactionId : undefined;
  }

  /** Writes a discharge; resolves to its answer, or `undefined` when the connection was cut. */
  discharge(id: Uint8Array, fail: boolean): Promise<DeliveryState | undefined> {
    return this.#ask(0x32, [id, fail]);
  }

  /** Sends a message in a transaction, settled or not. */
  send(link: SendingLink, payload: Uint8Array, transactionId: Uint8Array): void {
    link.send({ payload, tag: this.#newTag(), settled: this.#random.chance(0.3), state: inside(transactionId) });
  }

  /** Sends a request in a transaction to the management of an entity, if it can at once; returns whether it did. */
  request(
    entity: string,
    operation: string,
    body: Readonly<Record<string, AmqpValue>>,
    transactionId: Uint8Array,
  ): boolean {
    const payload = writeMessage({
      properties: { messageId: `${++this.#tag}`, replyTo: `${this.name} answers ${entity}` },
      applicationProperties: { operation: `com.microsoft:${operation}` },
      body: { kind: "value", value: new AmqpMap(Object.entries(body)) },
    });
    const link = this.#requests.get(entity);
    if (link?.ready !== true) return false;
    this.send(link, payload, transactionId);
    return true;
  }

  /** Disposes in a transaction of the deliveries with ids from that of one to that of another. */
  dispose(first: Held, last: Held, state: DeliveryState): void {
    const { session } = first;
    const settled = this.#random.chance(0.5);
    session.frames.disposition(session.channel, { role: "receiver", first: first.id, last: last.id, settled, state });
  }

  /** Closes the connection in an orderly way. */
  close(): Promise<void> {
    return this.#wire.close();
  }

  /** Ends the connection wherever its bytes are; what waits for an answer gets none. */
  cut(): void {
    this.isCut = true;
    this.#wire.cut();
    for (const answered of this.#waiting) answered(undefined);
  }

  #ask(descriptor: number, fields: readonly AmqpValue[]): Promise<DeliveryState | undefined> {
    if (this.isCut) return Promise.resolve(undefined);
    const payload = writeMessage({
      body: { kind: "value", value: typed.described(typed.ulong(descriptor), [...fields]) },
    });
    return new Promise((resolve) => {
      const answered: Answered = (state) => {
        this.#waiting.delete(answered);
        resolve(state);
      };
      this.#waiting.add(answered);
      const link = this.#random.pick(this.#coordinators);
      link.send({ payload, tag: this.#newTag(), settled: false, context: answered });
    });
  }

  #session(): AmqpSession {
    return this.#random.pick(this.#sessions);
  }

  #newTag(): Uint8Array {
    const tag = Buffer.alloc(4);
    tag.writeUInt32BE(++this.#tag);
    return tag;
  }

  /** A link to an address, or to the coordinator of transactions without one. */
  #sender(session: AmqpSession, name: string, address: string | undefined, properties?: AmqpMap): SendingLink {
    const link = session.links.newSender(name);
    const target = address === undefined ? ({ kind: "coordinator" } as const) : ({ kind: "target", address } as const);
    link.open(
      { source: { kind: "source", address: name }, target, properties },
      {
        flowed: nothing,
        disposed: ({ context }, state) => {
          for (const answered of this.#waiting) if (answered === context) answered(state);
        },
        detached: nothing,
      },
    );
    return link;
  }

  #receive(session: AmqpSession, name: string): void {
    const link: ReceivingLink = session.links.newReceiver(name);
    link.open(
      { source: { kind: "source", address: source }, target: { kind: "target", address: name }, sndSettleMode: 0 },
      {
        delivered: ({ id, tag, payload }) => {
          const messageId = String(parseMessage(payload).properties?.messageId);
          this.#delivered.add(messageId);
          this.held.push({ session, id, tag: Uint8Array.from(tag), messageId });
        },
        detached: nothing,
      },
    );
    link.keepCredit(60);
  }
}

/** The state of work in a transaction. */
export const inside = (transactionId: Uint8Array): DeliveryState & { readonly kind: "transactional" } => ({
  kind: "transactional",
  transactionId,
});

/** The outcomes that end a delivery. */
export const outcomes: Readonly<Record<Outcome, WireOutcome>> = {
  completed: accepted,
  deadLettered: { kind: "rejected" },
  deferred: { kind: "modified", deliveryFailed: false, undeliverableHere: true },
};
