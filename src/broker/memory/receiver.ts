import { checkReceiveOptions } from "../../core/engine/arguments.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { EngineReceiver, ReceiveOptions } from "../../core/engine/engine.ts";
import { closed } from "../../core/engine/refusals.ts";
import type { Lane } from "./lane.ts";
import type { MessageQueue, QueueReceiveLink } from "./message-queue.ts";
import type { LinkOwner } from "../policy/broker-verbs.ts";
import { WaitingReceive } from "./waiting-receive.ts";

/** The receiving end of a link to a queue, subscription or sub-queue. */
export class MemoryReceiver implements EngineReceiver {
  protected readonly queue: MessageQueue;
  protected readonly link: QueueReceiveLink;
  readonly #owner: Pick<LinkOwner<unknown>, "closed">;
  #closed = false;

  constructor(queue: MessageQueue, link: QueueReceiveLink, owner: Pick<LinkOwner<unknown>, "closed">) {
    this.queue = queue;
    this.link = link;
    this.#owner = owner;
  }

  receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    try {
      // A single promise, since thousands of links may be waiting.
      return Promise.resolve(this.#receive(options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #receive(options: ReceiveOptions): readonly Delivery[] | Promise<readonly Delivery[]> {
    checkReceiveOptions(options);
    const { maxMessages, maxWaitTimeInMs, abortSignal } = options;
    const now = this.enter();
    this.queue.entity.touch(now);
    const { receiveRefusal } = this.queue;
    if (receiveRefusal !== undefined) throw receiveRefusal;
    if (abortSignal?.aborted === true) return [];
    const lane = this.queue.laneOf(this.link);
    // Receives that have waited longer are served first, unless this call does not wait at all.
    if (lane.waiting.first === undefined || maxWaitTimeInMs === 0) {
      const deliveries = this.queue.take(this.link, maxMessages, now);
      if (deliveries.length > 0 || maxWaitTimeInMs === 0) return deliveries;
    }
    return this.#wait(options, lane, now);
  }

  #wait(
    { maxMessages, maxWaitTimeInMs, abortSignal }: ReceiveOptions,
    lane: Lane,
    now: number,
  ): Promise<readonly Delivery[]> {
    const take = (later: number): readonly Delivery[] => this.queue.take(this.link, maxMessages, later);
    const wait = { owner: this, timeline: this.queue.timeline, list: lane.waiting, take, abortSignal };
    return WaitingReceive.begin(wait, now + maxWaitTimeInMs);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const now = this.queue.timeline.now();
    this.#end();
    this.closed(now);
  }

  /** Closes without releasing any message. */
  async abort(): Promise<void> {
    this.#end();
  }

  #end(): void {
    this.#closed = true;
    this.#owner.closed(this);
    for (const waiting of this.waiting()) if (waiting.owner === this) waiting.end([]);
    this.waited();
  }

  /** Until the end of a wait, the entity was in use. */
  waited(): void {
    this.queue.entity.touch(this.queue.timeline.now());
  }

  /** Releases the link's messages; called once. */
  protected closed(_now: number): void {}

  /** The receives waiting in the link's lane. */
  protected waiting(): Iterable<WaitingReceive> {
    return this.queue.laneOf(this.link).waiting;
  }

  /** The current time. @throws SobreError `Closed`, `MessagingEntityNotFound`. */
  protected enter(): number {
    if (this.#closed) throw closed("receiver");
    const now = this.queue.timeline.now();
    this.queue.checkAlive();
    return now;
  }
}
