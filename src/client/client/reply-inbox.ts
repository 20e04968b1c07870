import type { Delivery, Settlement } from "../../core/engine/delivery.ts";
import type { EngineReceiver } from "../../core/engine/engine.ts";
import { type ClientParts, partsAt } from "./client-parts.ts";
import { ClientLink } from "./link.ts";
import { idleWait, repeat } from "./receive-loop.ts";
import { isRetryable } from "./attempts.ts";
import { isSessionGone } from "./retry.ts";

/** Where the replies to a requester arrive. */
export interface InboxOptions {
  readonly entityPath: string;
  /** The session of the replies, on a session entity. */
  readonly sessionId: string | undefined;
  /** Handles a reply; resolves to its settlement. */
  readonly deliver: (delivery: Delivery) => Promise<Settlement>;
  /** Called when the inbox has ended with an error that is not transient. */
  readonly failed: (error: unknown) => void;
  /** Called for an error that is retried. */
  readonly onError: (error: unknown) => void;
}

/** Receives replies until closed; a lost link is reopened and its session accepted again. */
export class ReplyInbox {
  readonly #parts: ClientParts;
  readonly #options: InboxOptions;
  readonly #stop = new AbortController();
  readonly #link: ClientLink<EngineReceiver>;
  #running: Promise<void> | undefined;

  constructor(shared: ClientParts, options: InboxOptions) {
    const { entityPath, sessionId } = options;
    const parts = partsAt(shared, entityPath);
    this.#parts = parts;
    this.#options = options;
    const open = (): Promise<EngineReceiver> =>
      sessionId === undefined
        ? parts.engine.openReceiver(entityPath, { receiveMode: "peekLock" })
        : parts.engine.acceptSession(entityPath, {
            sessionId,
            receiveMode: "peekLock",
            maxWaitTimeInMs: 0,
            abortSignal: this.#stop.signal,
          });
    const state = parts.signals.link(sessionId === undefined ? "receiver" : "session");
    this.#link = new ClientLink("reply inbox", open, state);
  }

  /** Resolves when replies can arrive: the session is locked before the first request is sent. */
  async open(): Promise<void> {
    await this.#link.get();
    // An inbox that has ended with an error restarts with the next request.
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#link.close();
  }

  #run(): Promise<void> {
    const { signal } = this.#stop;
    return repeat(this.#parts, signal, {
      step: async () => {
        for (const delivery of await this.#link.use((link) => this.#receive(link, signal)))
          await this.#handle(delivery);
      },
      failed: (error) => {
        this.#options.onError(error);
        const mayPass = isRetryable(error) || isSessionGone(error);
        if (!mayPass) this.#options.failed(error);
        return mayPass;
      },
    });
  }

  /** The session's lock is renewed between two receives. */
  async #receive(link: EngineReceiver, signal: AbortSignal): Promise<readonly Delivery[]> {
    const wait = "sessionLockedUntilUtc" in link ? await renewed(link, this.#parts) : idleWait;
    return link.receive({ maxMessages: 16, maxWaitTimeInMs: wait, abortSignal: signal });
  }

  async #handle(delivery: Delivery): Promise<void> {
    const { signals } = this.#parts;
    signals.received++;
    const settlement = await this.#options.deliver(delivery);
    if (delivery.lockToken === undefined) return;
    try {
      await this.#parts.engine.settle(this.#options.entityPath, delivery.lockToken, settlement);
      signals.settled(settlement);
    } catch (error) {
      // The reply was delivered; nothing waits for a redelivery.
      this.#options.onError(error);
    }
  }
}

/** Half of the lock's time, after renewing it. */
async function renewed(link: object, { clock }: ClientParts): Promise<number> {
  const until: unknown =
    "renewSessionLock" in link && typeof link.renewSessionLock === "function"
      ? await link.renewSessionLock()
      : undefined;
  const left = until instanceof Date ? until.getTime() - clock.now() : 0;
  return left > 0 ? left / 2 : 15_000;
}
