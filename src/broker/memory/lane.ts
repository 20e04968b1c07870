import { Heap } from "./heap.ts";
import { LinkedList } from "../../core/time/linked-list.ts";
import { fresh, notReady, type WaitingPlace, type QueuedMessage } from "./queued-message.ts";
import type { WaitingReceive } from "./waiting-receive.ts";

/** The queue of a {@link Lane}. */
export interface LaneQueue {
  /** Delivers ready messages to the waiting receives. */
  serve(lane: Lane): void;
  messageDue(message: QueuedMessage, now: number): void;
}

/**
 * The messages of a queue or session that are ready for delivery, and the receives waiting for them.
 *
 * Redelivered messages come first, oldest first; then those never delivered. Since every redelivered message arrived
 * before any of those, this is the order of arrival.
 */
export class Lane implements WaitingPlace {
  /** In the order in which they started waiting. */
  readonly waiting: LinkedList<WaitingReceive> = new LinkedList();
  readonly #queue: LaneQueue;
  readonly #fresh = new LinkedList<QueuedMessage>();
  /** By position. */
  #returned: Heap<QueuedMessage> | undefined;
  #size = 0;
  #waking = false;

  constructor(queue: LaneQueue) {
    this.#queue = queue;
  }

  get sessionId(): string | undefined {
    return undefined;
  }

  /** The number of ready messages. */
  get size(): number {
    return this.#size;
  }

  /** The next message, which stays. */
  get first(): QueuedMessage | undefined {
    return this.#returned?.first ?? this.#fresh.first;
  }

  append(message: QueuedMessage): void {
    message.readyIndex = fresh;
    this.#size++;
    this.#fresh.append(message);
  }

  giveBack(message: QueuedMessage): void {
    this.#size++;
    this.#returned ??= new Heap((item, index) => (item.readyIndex = index));
    this.#returned.add(message, message.position);
  }

  /** Serves the waiting receives in a microtask, so that messages that arrive together are delivered together. */
  wake(): void {
    if (this.#waking || this.#size === 0 || this.waiting.first === undefined) return;
    this.#waking = true;
    queueMicrotask(() => {
      this.#waking = false;
      this.#queue.serve(this);
    });
  }

  /** Removes and returns the next message, or `undefined` when none is ready. */
  shift(): QueuedMessage | undefined {
    const message = this.first;
    if (message !== undefined) this.remove(message);
    return message;
  }

  remove(message: QueuedMessage): void {
    if (!message.ready) return;
    this.#size--;
    if (message.readyIndex === fresh) {
      this.#fresh.remove(message);
      message.readyIndex = notReady;
    } else this.#returned?.remove(message.readyIndex);
  }

  messageDue(message: QueuedMessage, now: number): void {
    this.#queue.messageDue(message, now);
  }
}
