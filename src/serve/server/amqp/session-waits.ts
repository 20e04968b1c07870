import type { Engine, EngineSessionReceiver } from "../../../core/engine/engine.ts";
import type { ReceiveMode } from "../../../core/engine/delivery.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { SendingLink, SendingLinkEvents } from "../../../wire/amqp/connection/sending-link.ts";
import { type Clock, systemClock, type Timer } from "../../../core/time/clock.ts";

/** A call of the engine, and the handlers of its outcome. */
export interface SessionWaitsOptions {
  readonly entity: string;
  readonly engine: Engine;
  readonly receiveMode: ReceiveMode;
  /** The broker's time, which may differ from that of its clients. */
  readonly clock: Clock;
  /** Opens a link that has its session. */
  readonly granted: (link: SendingLink, receiver: EngineSessionReceiver) => void;
  readonly refused: (link: SendingLink, error: unknown) => void;
  /** Called when nobody waits any more. */
  readonly idle: () => void;
}

/** A link in the queue, until its time is over in the broker's time or in its client's. */
class WaitingLink implements SendingLinkEvents {
  readonly link: SendingLink;
  readonly until: number;
  readonly brokerUntil: number;
  readonly #waits: SessionWaits;

  constructor(waits: SessionWaits, link: SendingLink, times: readonly [until: number, brokerUntil: number]) {
    this.#waits = waits;
    this.link = link;
    [this.until, this.brokerUntil] = times;
  }

  flowed(): void {}
  disposed(): void {}
  detached(): void {
    this.#waits.leave(this);
  }
}

/**
 * The links of a connection that wait for the next session of an entity, in the order in which they came.
 *
 * Only one call of the engine waits for all of them: a thousand calls would take four times the memory of their links.
 */
export class SessionWaits {
  readonly #options: SessionWaitsOptions;
  readonly #waiting = new Set<WaitingLink>();
  readonly #timers = new Map<Clock, { readonly at: number; readonly timer: Timer }>();
  #accepting: AbortController | undefined;

  constructor(options: SessionWaitsOptions) {
    this.#options = options;
  }

  /** Adds a link; `time` is how many milliseconds it waits. */
  add(link: SendingLink, time: number): void {
    const { clock } = this.#options;
    const waiting = new WaitingLink(this, link, [systemClock.now() + time, clock.now() + time]);
    link.events = waiting;
    this.#waiting.add(waiting);
    this.#arm(systemClock, waiting.until);
    if (clock !== systemClock) this.#arm(clock, waiting.brokerUntil);
    this.accept();
  }

  leave(waiting: WaitingLink): void {
    if (!this.#waiting.delete(waiting) || this.#waiting.size > 0) return;
    for (const { timer } of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#accepting?.abort();
    this.#options.idle();
  }

  /** Asks for a session, when there is room for one more link that holds one: call it when a link has left. */
  accept(): void {
    const [first] = this.#waiting;
    if (this.#accepting !== undefined || first?.link.session.connection.budget.hasRoom !== true) return;
    const { engine, entity, receiveMode } = this.#options;
    const accepting = new AbortController();
    this.#accepting = accepting;
    const over = (settle: () => void): void => {
      this.#accepting = undefined;
      settle();
      this.accept();
    };
    engine
      .acceptSession(entity, {
        receiveMode,
        sessionId: undefined,
        maxWaitTimeInMs: Infinity,
        abortSignal: accepting.signal,
      })
      .then(
        (receiver) => over(() => this.#grant(receiver)),
        (error: unknown) => over(() => this.#refuseFirst(accepting.signal.aborted ? undefined : error)),
      );
  }

  #grant(receiver: EngineSessionReceiver): void {
    const first = this.#takeFirst();
    if (first === undefined) receiver.close().catch(() => undefined);
    else this.#options.granted(first.link, receiver);
  }

  #refuseFirst(error: unknown): void {
    if (error === undefined) return;
    const first = this.#takeFirst();
    if (first !== undefined) this.#options.refused(first.link, error);
  }

  #takeFirst(): WaitingLink | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const { link } = first;
    link.cost = link.session.connection.budget.unpark(link.cost);
    this.leave(first);
    return first;
  }

  /** Sets a timer for the link whose time is over first. */
  #arm(clock: Clock, at: number): void {
    const armed = this.#timers.get(clock);
    if (at === Infinity || (armed !== undefined && armed.at <= at)) return;
    armed?.timer.cancel();
    this.#timers.set(clock, { at, timer: clock.setTimer(at, () => this.#expire(clock)) });
  }

  #expire(clock: Clock): void {
    this.#timers.delete(clock);
    const now = clock.now();
    let next = Infinity;
    for (const waiting of this.#waiting) {
      const until = clock === this.#options.clock && clock !== systemClock ? waiting.brokerUntil : waiting.until;
      if (until > now) {
        next = Math.min(next, until);
        continue;
      }
      this.leave(waiting);
      const { entity } = this.#options;
      const error = new SobreError(
        "ServiceTimeout",
        `No session of '${entity}' became available in time. Retry later.`,
      );
      this.#options.refused(waiting.link, error);
    }
    if (this.#waiting.size > 0) this.#arm(clock, next);
  }
}
