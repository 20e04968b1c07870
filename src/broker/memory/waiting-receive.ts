import type { Delivery } from "../../core/engine/delivery.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { Linked, LinkedList } from "../../core/time/linked-list.ts";
import type { TimedEvent, Timeline } from "./timeline.ts";

/** A link whose receive waits. */
interface WaitingLink {
  readonly queue: { readonly entity: { touch(now: number): void } };
}

/** The details of a waiting receive. */
export interface ReceiveWait {
  /** The link that receives, from an entity that is in use until the end of the wait. */
  readonly owner: WaitingLink;
  readonly timeline: Timeline;
  /** The receives waiting in the owner's lane. */
  readonly list: LinkedList<WaitingReceive>;
  /** Takes the messages that are ready. */
  readonly take: (now: number) => readonly Delivery[];
  readonly abortSignal: AbortSignal | undefined;
}

/** A receive that waits for its first message. A single object, since thousands of links may be waiting. */
export class WaitingReceive implements TimedEvent, Linked<WaitingReceive> {
  dueIndex = -1;
  previous: WaitingReceive | undefined = undefined;
  next: WaitingReceive | undefined = undefined;
  readonly #wait: ReceiveWait;
  readonly #resolve: (deliveries: readonly Delivery[]) => void;
  readonly #reject: (error: SobreError) => void;

  private constructor(
    wait: ReceiveWait,
    resolve: (deliveries: readonly Delivery[]) => void,
    reject: (error: Error) => void,
  ) {
    this.#wait = wait;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Waits in the link's lane until a time in milliseconds since 1970; without a signal, keeps the process alive. */
  static begin(wait: ReceiveWait, until: number): Promise<readonly Delivery[]> {
    return new Promise((resolve, reject) => {
      const { timeline, list, abortSignal } = wait;
      const waiting = new WaitingReceive(wait, resolve, reject);
      list.append(waiting);
      timeline.schedule(waiting, until);
      // A caller that can abort the wait, e.g. a processor, keeps the process alive by itself if it needs to.
      if (abortSignal === undefined) timeline.waitBegan();
      abortSignal?.addEventListener("abort", waiting);
    });
  }

  get owner(): object {
    return this.#wait.owner;
  }

  /** Takes the messages that are ready. */
  take(now: number): readonly Delivery[] {
    return this.#wait.take(now);
  }

  /** Ends the wait with the messages taken for it. */
  end(deliveries: readonly Delivery[], now: number): void {
    this.#stop();
    this.#wait.owner.queue.entity.touch(now);
    this.#resolve(deliveries);
  }

  refuse(error: SobreError): void {
    this.#stop();
    this.#reject(error);
  }

  due(now: number): void {
    this.end([], now);
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.end([], this.#wait.timeline.now());
  }

  #stop(): void {
    const { timeline, list, abortSignal } = this.#wait;
    if (list.remove(this) && abortSignal === undefined) timeline.waitEnded();
    timeline.cancel(this);
    abortSignal?.removeEventListener("abort", this);
  }
}
