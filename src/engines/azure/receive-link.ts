import { accepted, type DeliveryState } from "../../amqp/connection/delivery-state.ts";
import type { IncomingDelivery, ReceivingLink } from "../../amqp/connection/receiving-link.ts";
import { tokenOf } from "../../amqp/message/lock-tag.ts";
import { type Delivery, lockToken as tokenText, type LockToken, type ReceiveMode } from "../../engine/delivery.ts";
import type { ReceiveOptions } from "../../engine/engine.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import type { Clock, Timer } from "../../time/clock.ts";
import { brokerError, connectionLost } from "./broker-errors.ts";
import type { ClientSession } from "./client-connection.ts";
import { detached, openReceiving } from "./open-link.ts";
import { Receive } from "./receive.ts";
import { receivedDelivery } from "./received-delivery.ts";
import { inTime, type Timing } from "./timing.ts";

/** Milliseconds that the broker has to answer a drain, at most; after that the link is given up, and nothing that comes is taken. */
const drainTimeOut = 5000;

/** Options of a receiving link. */
export interface ReceiveLinkOptions {
  readonly receiveMode: ReceiveMode;
  /** The engine's time, for waits. */
  readonly clock: Clock;
  readonly timing: Timing;
  readonly request: Omit<Parameters<typeof openReceiving>[1], "events" | "name" | "timing">;
  /** Called for every new lock, and for every one that this link can no longer settle. */
  readonly held: (token: LockToken, link: ReceiveLink) => void;
  readonly released: (token: LockToken) => void;
}

/** A settlement that the broker has not confirmed. */
interface Settling {
  reject?: (error: SobreError) => void;
}

/**
 * A link that messages are received by: credit is given on demand, and taken back by draining it, so that nothing is lost.
 *
 * The credit is that of all receives that wait; messages go to them in their order.
 */
export class ReceiveLink {
  readonly #session: ClientSession;
  readonly #options: ReceiveLinkOptions;
  readonly #queue: Receive[] = [];
  /** Came when nobody waited any more. */
  readonly #spare: Delivery[] = [];
  /** Deliveries of this link by their lock tokens. */
  readonly #held = new Map<LockToken, number>();
  readonly #settling = new Set<Settling>();
  #link: ReceivingLink | undefined;
  #gone: SobreError | undefined;
  #draining: Timer | undefined;
  #reminder: Timer | undefined;
  #isAsking = false;
  #allClosed: () => void = () => undefined;

  private constructor(session: ClientSession, options: ReceiveLinkOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Opens a link. @throws SobreError as the broker refuses. */
  static async open(session: ClientSession, options: ReceiveLinkOptions): Promise<ReceiveLink> {
    const own = new ReceiveLink(session, options);
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
    // A receive that waits already would have taken the messages at hand.
    const isEmpty = this.#draining === undefined && this.#queue.some(({ asked, isEnding }) => asked && !isEnding);
    if (receive.expired && isEmpty) receive.finish();
    else {
      this.#queue.push(receive);
      this.#ask();
    }
    return receive.outcome;
  }

  /** Settles a delivery of this link; resolves when the broker has. @throws SobreError as it refuses. */
  settle(token: LockToken, state: DeliveryState): Promise<void> {
    const id = this.#held.get(token);
    if (id === undefined || this.#gone !== undefined) return Promise.reject(connectionLost("the link is gone."));
    this.#release(token);
    const settling: Settling = {};
    this.#settling.add(settling);
    const settled = new Promise<void>((resolve, reject) => {
      settling.reject = reject;
      this.#session.requestSettlement(id, state, (told) => {
        const answer = told?.kind === "transactional" ? told.outcome : told;
        // Some brokers answer a dead letter with the outcome that asked for it.
        if (answer?.kind === "rejected" && answer.error !== undefined && !isDeadLetter(answer.error.condition))
          reject(brokerError(answer.error));
        else resolve();
      });
    });
    return inTime(this.#options.timing, "a settlement", settled).finally(() => this.#settling.delete(settling));
  }

  /** Ends the waits with what they took, and the link; resolves when the broker knows. */
  async close(): Promise<void> {
    const waiting = [...this.#queue];
    for (const receive of waiting) receive.expired = true;
    this.#ask();
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

  /** Repeats the credit to the broker from time to time: a broker that lost it would stay silent for ever. */
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

  /** A receive's wait is over. */
  #over(receive: Receive): void {
    if (receive.asked) this.#ask();
    else this.#finish(receive);
  }

  #finish(receive: Receive): void {
    const at = this.#queue.indexOf(receive);
    if (at >= 0) this.#queue.splice(at, 1);
    receive.finish();
  }

  #delivered({ id, tag, payload, settled }: IncomingDelivery, link: ReceivingLink): void {
    const token = settled || this.#options.receiveMode === "receiveAndDelete" ? undefined : tokenFor(tag);
    if (token !== undefined) {
      this.#held.set(token, id);
      this.#options.held(token, this);
    } else if (!settled) link.settle(id, accepted);
    const receive = this.#queue.find((one) => one.asked && one.room > 0);
    (receive?.taken ?? this.#spare).push(receivedDelivery(payload, token));
    if (receive === undefined) return;
    if (receive.room === 0) this.#finish(receive);
    // The messages at hand come along with the first.
    else if (this.#draining === undefined) this.#ask();
    // Some brokers send nothing more once the credit is used up.
    if (this.#draining !== undefined && link.credit === 0) this.#drained();
  }

  #release(token: LockToken): void {
    this.#held.delete(token);
    this.#options.released(token);
  }

  #end(error: SobreError): void {
    if (this.#gone !== undefined) return;
    this.#gone = error;
    this.#draining?.cancel();
    this.#reminder?.cancel();
    for (const token of this.#held.keys()) this.#options.released(token);
    this.#held.clear();
    for (const receive of this.#queue.splice(0)) receive.fail(error);
    for (const { reject } of this.#settling) reject?.(error);
    this.#settling.clear();
  }
}

/** The lock token of a delivery; other brokers have tags of other lengths, whose deliveries are settled by their link alone. */
const tokenFor = (tag: Uint8Array): LockToken =>
  tag.byteLength === 16 ? tokenOf(tag) : tokenText(crypto.randomUUID());

const isDeadLetter = (condition: string): boolean => condition === "com.microsoft:dead-letter";
