import { accepted, type DeliveryState } from "../../amqp/connection/delivery-state.ts";
import type { IncomingDelivery, ReceivingLink } from "../../amqp/connection/receiving-link.ts";
import { tokenOf } from "../../amqp/message/lock-tag.ts";
import { type Delivery, lockToken as tokenText, type LockToken, type ReceiveMode } from "../../engine/delivery.ts";
import type { ReceiveOptions } from "../../engine/engine.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import type { Clock, Timer } from "../../time/clock.ts";
import { brokerError, connectionLost } from "./broker-errors.ts";
import type { ClientSession } from "./client-connection.ts";
import { openReceiving } from "./open-link.ts";
import { Receive } from "./receive.ts";
import { receivedDelivery } from "./received-delivery.ts";

/** Milliseconds that the broker has to answer a drain; after that the link is given up, and nothing that comes is taken. */
const drainTimeOut = 5000;

/** Milliseconds that the broker has to confirm a settlement. */
const settleTimeOut = 60_000;

/** What a link to receive by is opened with. */
export interface ReceiveLinkOptions {
  readonly receiveMode: ReceiveMode;
  /** The engine's time, for waits. */
  readonly clock: Clock;
  readonly connectionClock: Clock;
  readonly request: Omit<Parameters<typeof openReceiving>[1], "events" | "name">;
  /** Told of every lock that came, and of every one that can be settled by this link no more. */
  readonly held: (token: LockToken, link: ReceiveLink) => void;
  readonly released: (token: LockToken) => void;
}

/**
 * A link that messages are received by: credit is given on demand, and taken back by draining it, so that nothing is lost.
 *
 * One receive at a time has the credit; the others wait for their turn.
 */
export class ReceiveLink {
  readonly #session: ClientSession;
  readonly #options: ReceiveLinkOptions;
  readonly #queue: Receive[] = [];
  /** Came when nobody waited any more. */
  readonly #spare: Delivery[] = [];
  /** Deliveries of this link by their lock tokens. */
  readonly #held = new Map<LockToken, number>();
  readonly #settling = new Set<(error: SobreError) => void>();
  #link: ReceivingLink | undefined;
  #gone: SobreError | undefined;
  #draining: Timer | undefined;
  #allClosed: () => void = () => undefined;

  private constructor(session: ClientSession, options: ReceiveLinkOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Opens a link. @throws SobreError as the broker refuses. */
  static async open(session: ClientSession, options: ReceiveLinkOptions): Promise<ReceiveLink> {
    const own = new ReceiveLink(session, options);
    const { setup, signal } = options.request;
    const isDeleting = options.receiveMode === "receiveAndDelete";
    try {
      own.#link = await openReceiving(session, {
        name: `receiver-${crypto.randomUUID()}`,
        signal,
        setup: { ...setup, sndSettleMode: isDeleting ? 1 : 0, rcvSettleMode: isDeleting ? 0 : 1 },
        events: {
          delivered: (delivery, link) => own.#delivered(delivery, link),
          drained: () => own.#drained(),
          gone: (error) => own.#end(error),
          closed: () => {
            session.end();
            own.#allClosed();
          },
        },
      });
      return own;
    } catch (error) {
      session.end();
      throw error;
    }
  }

  /** The link as the broker has attached it. */
  get remote(): ReceivingLink["remote"] {
    return this.#link?.remote;
  }

  /** The link's name, which requests about its session give. */
  get name(): string {
    return this.#link?.name ?? "";
  }

  /** Why the link is gone; `undefined` while it is not. */
  get gone(): SobreError | undefined {
    return this.#gone;
  }

  receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    if (this.#spare.length > 0) return Promise.resolve(this.#spare.splice(0, options.maxMessages));
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const receive = new Receive(options, this.#options.clock, (one) => this.#over(one));
    this.#queue.push(receive);
    this.#next();
    // What waits already would have taken what is there.
    if (receive.expired && receive.phase === "queued" && this.#queue[0]?.phase === "granted") this.#remove(receive);
    return receive.outcome;
  }

  /** Settles a delivery of this link; resolves when the broker has. @throws SobreError as it refuses. */
  settle(token: LockToken, state: DeliveryState): Promise<void> {
    const id = this.#held.get(token);
    if (id === undefined || this.#gone !== undefined) return Promise.reject(connectionLost("the link is gone."));
    this.#release(token);
    const { connectionClock } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = connectionClock.setTimer(connectionClock.now() + settleTimeOut, () => {
        this.#settling.delete(fail);
        const seconds = settleTimeOut / 1000;
        reject(
          new SobreError("ServiceTimeout", `The broker has not confirmed a settlement within ${seconds} seconds.`),
        );
      });
      const fail = (error: SobreError): void => {
        timer.cancel();
        reject(error);
      };
      this.#settling.add(fail);
      this.#session.requestSettlement(id, state, (told) => {
        const answer = told?.kind === "transactional" ? told.outcome : told;
        this.#settling.delete(fail);
        timer.cancel();
        // Some brokers answer a dead letter with the outcome that asked for it.
        if (answer?.kind === "rejected" && answer.error !== undefined && !isDeadLetter(answer.error.condition))
          reject(brokerError(answer.error));
        else resolve();
      });
    });
  }

  /** Ends the waits with what they took, and the link; resolves when the broker knows. */
  async close(): Promise<void> {
    const waiting = [...this.#queue];
    for (const receive of waiting) {
      receive.expired = true;
      this.#over(receive);
    }
    await Promise.allSettled(waiting.map(({ outcome }) => outcome));
    await this.#detach();
  }

  /** The connection is being closed: waits end with what they took. */
  drop(): void {
    for (const receive of this.#queue.splice(0)) receive.finish();
    this.#end(connectionLost("it was closed."));
  }

  async #detach(): Promise<void> {
    const link = this.#link;
    if (link?.state !== "attached") return;
    for (const { lockToken } of this.#spare.splice(0))
      if (lockToken !== undefined) void this.settle(lockToken, { kind: "released" }).catch(() => undefined);
    const over = new Promise<void>((resolve) => (this.#allClosed = resolve));
    link.detach();
    await over;
    this.#end(connectionLost("the link was closed."));
  }

  /** Gives the first receive its credit. */
  #next(): void {
    const [first] = this.#queue;
    const link = this.#link;
    if (first === undefined || link === undefined || first.phase !== "queued") return;
    if (first.expired) {
      this.#drain(first, first.maxMessages);
      return;
    }
    first.phase = "granted";
    link.grant(first.maxMessages);
  }

  #drain(receive: Receive, credit: number): void {
    receive.phase = "draining";
    this.#link?.grant(credit, true);
    const { connectionClock } = this.#options;
    this.#draining = connectionClock.setTimer(connectionClock.now() + drainTimeOut, () => {
      const given = connectionLost("a drain was not answered.");
      this.#finish(receive);
      this.#link?.detach();
      this.#end(given);
    });
  }

  /** A receive's wait is over. */
  #over(receive: Receive): void {
    if (receive.phase === "granted") this.#drain(receive, this.#link?.credit ?? 0);
    else if (receive.phase === "queued") this.#remove(receive);
  }

  #remove(receive: Receive): void {
    const at = this.#queue.indexOf(receive);
    if (at >= 0) this.#queue.splice(at, 1);
    receive.finish();
  }

  #finish(receive: Receive): void {
    this.#draining?.cancel();
    this.#remove(receive);
    this.#next();
  }

  #drained(): void {
    const [first] = this.#queue;
    // A late answer to an earlier drain leaves the credit of this one.
    if (first?.phase === "draining" && this.#link?.credit === 0) this.#finish(first);
  }

  #delivered({ id, tag, payload, settled }: IncomingDelivery, link: ReceivingLink): void {
    const token = settled || this.#options.receiveMode === "receiveAndDelete" ? undefined : tokenFor(tag);
    if (token !== undefined) {
      this.#held.set(token, id);
      this.#options.held(token, this);
    } else if (!settled) link.settle(id, accepted);
    const [first] = this.#queue;
    const isWaiting = first !== undefined && first.phase !== "queued" && !first.full;
    (isWaiting ? first.taken : this.#spare).push(receivedDelivery(payload, token));
    if (first === undefined || !isWaiting) return;
    if (first.full) this.#finish(first);
    // What is there comes along with the first.
    else if (first.phase === "granted") this.#drain(first, link.credit);
  }

  #release(token: LockToken): void {
    this.#held.delete(token);
    this.#options.released(token);
  }

  #end(error: SobreError): void {
    if (this.#gone !== undefined) return;
    this.#gone = error;
    this.#draining?.cancel();
    for (const token of this.#held.keys()) this.#options.released(token);
    this.#held.clear();
    for (const receive of this.#queue.splice(0)) receive.fail(error);
    for (const reject of this.#settling) reject(error);
    this.#settling.clear();
  }
}

/** The lock token of a delivery; other brokers have tags of other lengths, whose deliveries are settled by their link alone. */
const tokenFor = (tag: Uint8Array): LockToken =>
  tag.byteLength === 16 ? tokenOf(tag) : tokenText(crypto.randomUUID());

const isDeadLetter = (condition: string): boolean => condition === "com.microsoft:dead-letter";
