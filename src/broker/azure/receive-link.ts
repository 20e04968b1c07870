import { accepted, type DeliveryState } from "../../wire/amqp/connection/delivery-state.ts";
import type { IncomingDelivery, ReceivingLink } from "../../wire/amqp/connection/receiving-link.ts";
import { tokenOf } from "../../wire/amqp/message/lock-tag.ts";
import { type Delivery, lockToken as tokenText, type LockToken, type ReceiveMode } from "../../core/engine/delivery.ts";
import type { ReceiveOptions } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock, Timer } from "../../core/time/clock.ts";
import { Deadlines } from "../../core/time/deadlines.ts";
import { connectionLost } from "./broker-errors.ts";
import type { ClientSession } from "./client-connection.ts";
import { HeldDeliveries, HeldDelivery } from "./held-deliveries.ts";
import { detached, openReceiving } from "./open-link.ts";
import { Receive } from "./receive.ts";
import { receivedDelivery } from "./received-delivery.ts";
import type { Timing } from "./timing.ts";

/** Milliseconds that the broker has to answer a drain, at most; after that the link is given up, and nothing that comes is taken. */
const drainTimeOut = 5000;

/** Options of a receiving link. */
export interface ReceiveLinkOptions {
  readonly entity: string;
  readonly receiveMode: ReceiveMode;
  /** The engine's clock, for waits. */
  readonly clock: Clock;
  readonly timing: Timing;
  readonly request: Omit<Parameters<typeof openReceiving>[1], "events" | "name" | "timing">;
  /** The locked messages of the connection, by lock token; this link adds and removes its own. */
  readonly locks: Map<LockToken, HeldDelivery>;
}

/**
 * A receiving link: credit is given on demand and withdrawn by draining, so that no message is lost.
 *
 * The credit is that of all waiting receives; messages go to them in order.
 */
export class AzureReceiveLink {
  readonly #session: ClientSession;
  readonly #options: ReceiveLinkOptions;
  readonly #queue: Receive[] = [];
  /** The waits of those in the queue. */
  readonly #waits: Deadlines<Receive>;
  /** Abort signals of waits, each with one listener: usually all receives of a processor share one. */
  readonly #signals = new Map<AbortSignal, () => void>();
  /** Deliveries that arrived when nobody was waiting any more. */
  readonly #spare: Delivery[] = [];
  /** Deliveries of this link that are locked. */
  readonly #held: HeldDeliveries;
  #link: ReceivingLink | undefined;
  #gone: SobreError | undefined;
  #draining: Timer | undefined;
  #reminder: Timer | undefined;
  #isAsking = false;
  #allClosed: () => void = () => undefined;

  private constructor(session: ClientSession, options: ReceiveLinkOptions) {
    this.#session = session;
    this.#options = options;
    this.#waits = new Deadlines(options.clock, (receive) => this.#expire(receive));
    this.#held = new HeldDeliveries(options.locks, options.timing);
  }

  /** Opens a link. @throws SobreError as the broker refuses. */
  static async open(session: ClientSession, options: ReceiveLinkOptions): Promise<AzureReceiveLink> {
    const own = new AzureReceiveLink(session, options);
    const { setup, ...request } = options.request;
    const { timing } = options;
    const isDeleting = options.receiveMode === "receiveAndDelete";
    try {
      own.#link = await openReceiving(session, {
        name: `receiver-${crypto.randomUUID()}`,
        ...request,
        timing,
        setup: { ...setup, sndSettleMode: isDeleting ? 1 : 0, rcvSettleMode: isDeleting ? 0 : 1 },
        events: {
          delivered: (delivery, link) => own.#delivered(delivery, link),
          drained: () => own.#drained(),
          confirmed: (disposition) => own.#held.confirmed(disposition),
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

  /** Whether it receives from this entity. */
  isOf(entity: string): boolean {
    const own = this.#options.entity;
    return own === entity || own.toLowerCase() === entity.toLowerCase();
  }

  /** Why the link is gone; `undefined` while it is not. */
  get gone(): SobreError | undefined {
    return this.#gone;
  }

  receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    if (this.#spare.length > 0) return Promise.resolve(this.#spare.splice(0, options.maxMessages));
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const receive = new Receive(options);
    // A receive that waits already would have taken the messages at hand.
    const isEmpty = this.#draining === undefined && this.#queue.some(({ asked, isEnding }) => asked && !isEnding);
    if (receive.expired && isEmpty) receive.finish();
    else {
      this.#queue.push(receive);
      if (!receive.expired && options.maxWaitTimeInMs < Infinity)
        this.#waits.add(receive, this.#options.clock.now() + options.maxWaitTimeInMs);
      if (options.abortSignal !== undefined) this.#listen(options.abortSignal);
      this.#ask();
    }
    return receive.outcome;
  }

  /**
   * Settles a delivery of this link; resolves when the broker has confirmed it. @throws SobreError the broker's
   * refusal.
   */
  settle(held: HeldDelivery, state: DeliveryState): Promise<void> {
    if (this.#gone !== undefined) return Promise.reject(connectionLost("the link is gone."));
    const outcome = this.#held.settle(held);
    this.#session.requestSettlement(held.id, state);
    return outcome;
  }

  /** Ends the waits with the messages they took, and closes the link; resolves when the broker has confirmed it. */
  async close(): Promise<void> {
    const waiting = [...this.#queue];
    for (const receive of waiting) receive.expired = true;
    this.#ask();
    await Promise.allSettled(waiting.map(({ outcome }) => outcome));
    await this.#detach();
  }

  /** Called when the connection is closing: waits end with the messages they took. */
  drop(): void {
    for (const receive of this.#queue.splice(0)) receive.finish();
    this.#end(connectionLost("it was closed."));
  }

  async #detach(): Promise<void> {
    const link = this.#link;
    if (link?.state !== "attached") return;
    for (const { lockToken } of this.#spare.splice(0)) {
      const held = lockToken === undefined ? undefined : this.#options.locks.get(lockToken);
      if (held !== undefined) void this.settle(held, { kind: "released" }).catch(() => undefined);
    }
    await detached(link, new Promise<void>((resolve) => (this.#allClosed = resolve)), this.#options.timing);
    this.#end(connectionLost("the link was closed."));
  }

  /** Gives the credit that is missing, once for all that is asked for in this turn. */
  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    queueMicrotask(() => {
      this.#isAsking = false;
      if (this.#draining !== undefined || this.#gone !== undefined) return;
      let credit = 0;
      let isNew = false;
      let isEnding = false;
      for (const receive of this.#queue) {
        isNew ||= !receive.asked;
        isEnding ||= receive.isEnding;
        receive.asked = true;
        credit += receive.room;
      }
      if (isEnding) this.#drain(credit);
      else if (isNew) this.#link?.grant(credit);
      if (credit > 0) this.#remind();
    });
  }

  /** Repeats the credit to the broker from time to time: a broker that lost it would never send again. */
  #remind(): void {
    const { clock, answer } = this.#options.timing;
    this.#reminder ??= clock.setTimer(clock.now() + answer, () => {
      this.#reminder = undefined;
      const link = this.#link;
      if (this.#queue.length === 0 || this.#gone !== undefined || link === undefined) return;
      if (this.#draining === undefined) link.grant(link.credit);
      this.#remind();
    });
  }

  /** Asks for the messages at hand, and takes the credit back that they leave. */
  #drain(credit: number): void {
    const { clock: time, answer } = this.#options.timing;
    this.#draining = time.setTimer(time.now() + Math.min(drainTimeOut, answer), () => {
      for (const receive of this.#queue.filter(({ asked, isEnding }) => asked && isEnding)) this.#finish(receive);
      this.#link?.detach();
      this.#end(connectionLost("a drain was not answered."));
    });
    this.#link?.grant(credit, true);
  }

  #drained(): void {
    // A late answer to an earlier drain leaves the credit of this one.
    if (this.#draining === undefined || this.#link?.credit !== 0) return;
    this.#draining.cancel();
    this.#draining = undefined;
    for (const receive of this.#queue.filter(({ asked }) => asked)) {
      receive.asked = false;
      if (receive.isEnding) this.#finish(receive);
    }
    this.#ask();
  }

  /** One listener serves all receives that a signal ends; those that none is left of are not listened to any more. */
  #listen(abortSignal: AbortSignal): void {
    if (this.#signals.has(abortSignal)) return;
    for (const known of this.#signals.keys())
      if (!this.#queue.some((one) => one.abortSignal === known)) this.#unlisten(known);
    const aborted = (): void => {
      for (const receive of this.#queue.filter((one) => one.abortSignal === abortSignal)) this.#expire(receive);
    };
    this.#signals.set(abortSignal, aborted);
    abortSignal.addEventListener("abort", aborted);
  }

  #unlisten(abortSignal: AbortSignal): void {
    const listener = this.#signals.get(abortSignal);
    if (listener !== undefined) abortSignal.removeEventListener("abort", listener);
    this.#signals.delete(abortSignal);
  }

  /** A receive's wait is over. */
  #expire(receive: Receive): void {
    receive.expired = true;
    if (receive.asked) this.#ask();
    else this.#finish(receive);
  }

  #finish(receive: Receive): void {
    const at = this.#queue.indexOf(receive);
    if (at >= 0) this.#queue.splice(at, 1);
    this.#waits.remove(receive);
    receive.finish();
  }

  #delivered({ id, tag, payload, settled }: IncomingDelivery, link: ReceivingLink): void {
    const token = settled || this.#options.receiveMode === "receiveAndDelete" ? undefined : tokenFor(tag);
    if (token !== undefined) this.#held.add(new HeldDelivery(this, id, token));
    else if (!settled) link.settle(id, accepted);
    const receive = this.#queue.find((one) => one.asked && one.room > 0);
    (receive?.taken ?? this.#spare).push(receivedDelivery(payload, token));
    if (receive === undefined) return;
    if (receive.room === 0) this.#finish(receive);
    // The messages at hand come along with the first.
    else if (this.#draining === undefined) this.#ask();
    // Some brokers send nothing more once the credit is used up.
    if (this.#draining !== undefined && link.credit === 0) this.#drained();
  }

  #end(error: SobreError): void {
    if (this.#gone !== undefined) return;
    this.#gone = error;
    this.#draining?.cancel();
    this.#reminder?.cancel();
    this.#waits.clear();
    for (const abortSignal of this.#signals.keys()) this.#unlisten(abortSignal);
    for (const receive of this.#queue.splice(0)) receive.fail(error);
    this.#held.end(error);
  }
}

/**
 * The lock token of a delivery; other brokers have tags of other lengths, whose deliveries only their link can settle.
 */
const tokenFor = (tag: Uint8Array): LockToken =>
  tag.byteLength === 16 ? tokenOf(tag) : tokenText(crypto.randomUUID());
