import type { Delivery } from "../../engine/delivery.ts";
import type { SobreError } from "../../errors/sobre-error.ts";
import type { Linked, LinkedList } from "../../time/linked-list.ts";
import type { MessageQueue, ReceiveLink } from "./message-queue.ts";
import type { Due } from "./timeline.ts";

/** The receive that waits, and for how many messages. */
export interface Wait {
  /** The receiver. */
  readonly owner: object;
  readonly queue: MessageQueue;
  readonly link: ReceiveLink;
  readonly maxMessages: number;
  readonly signal: AbortSignal | undefined;
}

/** A receive that waits for its first message. One object, since thousands of links may wait. */
export class WaitingReceive implements Due, Linked<WaitingReceive> {
  dueIndex = -1;
  previous: WaitingReceive | undefined = undefined;
  next: WaitingReceive | undefined = undefined;
  /** Of the lane: a session that is lost has no other way to it. */
  readonly #list: LinkedList<WaitingReceive>;
  readonly #wait: Wait;
  readonly #resolve: (deliveries: readonly Delivery[]) => void;
  readonly #reject: (error: SobreError) => void;

  private constructor(wait: Wait, resolve: (deliveries: readonly Delivery[]) => void, reject: (error: Error) => void) {
    this.#list = wait.queue.laneOf(wait.link).waiting;
    this.#wait = wait;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Waits in the link's lane until a time in milliseconds since 1970; without signal it keeps the process alive. */
  static begin(wait: Wait, until: number): Promise<readonly Delivery[]> {
    return new Promise((resolve, reject) => {
      const { queue, signal } = wait;
      const waiting = new WaitingReceive(wait, resolve, reject);
      waiting.#list.append(waiting);
      queue.timeline.schedule(waiting, until);
      // Whoever can end the wait, as a processor can, has a life of its own.
      if (signal === undefined) queue.timeline.waitBegan();
      signal?.addEventListener("abort", waiting);
    });
  }

  get owner(): object {
    return this.#wait.owner;
  }

  /** Takes what is ready. */
  take(now: number): readonly Delivery[] {
    const { queue, link, maxMessages } = this.#wait;
    return queue.take(link, maxMessages, now);
  }

  /** Ends the wait with what was taken for it. */
  end(deliveries: readonly Delivery[]): void {
    this.#stop();
    this.#resolve(deliveries);
  }

  refuse(error: SobreError): void {
    this.#stop();
    this.#reject(error);
  }

  due(): void {
    this.end([]);
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.end([]);
  }

  #stop(): void {
    const { queue, signal } = this.#wait;
    if (this.#list.remove(this) && signal === undefined) queue.timeline.waitEnded();
    queue.timeline.cancel(this);
    signal?.removeEventListener("abort", this);
  }
}
