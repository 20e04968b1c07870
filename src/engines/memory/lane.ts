import type { MessageQueue } from "./message-queue.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { Session } from "./session.ts";
import { WaitingReceives } from "./waiting-receives.ts";

/**
 * The messages of a queue, or of one session, that are ready for delivery, and the receives that wait for one.
 *
 * Messages given back come first, oldest first; then those never delivered, in order of arrival.
 * Everything given back has arrived before everything never delivered, so this is the order of arrival.
 */
export class Lane {
  readonly queue: MessageQueue;
  /** The session whose messages these are, on session entities. */
  readonly session: Session | undefined;
  readonly waiting: WaitingReceives = new WaitingReceives();
  #first: QueuedMessage | undefined;
  #last: QueuedMessage | undefined;
  /** A heap by position; what was removed stays in it until it comes to the top. */
  #returned: QueuedMessage[] | undefined;
  #size = 0;
  #waking = false;

  constructor(queue: MessageQueue, session?: Session) {
    this.queue = queue;
    this.session = session;
  }

  /** How many messages are ready. */
  get size(): number {
    return this.#size;
  }

  /** Adds a message that has just arrived. */
  append(message: QueuedMessage): void {
    message.ready = "fresh";
    message.previous = this.#last;
    if (this.#last === undefined) this.#first = message;
    else this.#last.next = message;
    this.#last = message;
    this.#size++;
  }

  /** Puts a message that was taken back to its place near the front. */
  giveBack(message: QueuedMessage): void {
    message.ready = "returned";
    this.#size++;
    const heap = (this.#returned ??= []);
    let index = heap.length;
    heap.push(message);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.position < message.position) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = message;
  }

  /**
   * Sees to it that the receives that wait are served, in a microtask,
   * so that what arrives together is handed over together.
   */
  wake(): void {
    if (this.session !== undefined && this.session.lock === undefined) {
      this.session.table.settle(this.session);
      return;
    }
    if (this.#waking || this.#size === 0 || this.waiting.first === undefined) return;
    this.#waking = true;
    queueMicrotask(() => {
      this.#waking = false;
      this.queue.serve(this);
    });
  }

  /** Takes the next message out, or `undefined` when none is ready. */
  shift(): QueuedMessage | undefined {
    const message = this.#firstReturned() ?? this.#first;
    if (message !== undefined) this.remove(message);
    return message;
  }

  /** Takes a ready message out; does nothing to others. */
  remove(message: QueuedMessage): void {
    if (message.ready === undefined) return;
    const was = message.ready;
    message.ready = undefined;
    this.#size--;
    if (was === "returned") {
      if (this.#returned?.[0] === message) this.#popReturned();
      return;
    }
    if (message.previous === undefined) this.#first = message.next;
    else message.previous.next = message.next;
    if (message.next === undefined) this.#last = message.previous;
    else message.next.previous = message.previous;
    message.previous = undefined;
    message.next = undefined;
  }

  #firstReturned(): QueuedMessage | undefined {
    const heap = this.#returned;
    if (heap === undefined) return undefined;
    while (heap[0] !== undefined && heap[0].ready !== "returned") this.#popReturned();
    return heap[0];
  }

  #popReturned(): void {
    const heap = this.#returned;
    const last = heap?.pop();
    if (heap === undefined || last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = heap[child];
      const right = heap[child + 1];
      if (left === undefined) break;
      const least = right !== undefined && right.position < left.position ? right : left;
      if (least === right) child++;
      if (least.position > last.position) break;
      heap[index] = least;
      index = child;
    }
    heap[index] = last;
  }
}
