import type { Delivery, Settlement } from "../engine/delivery.ts";
import type { EngineReceiver } from "../engine/engine.ts";
import type { ClientParts } from "./client-parts.ts";
import { Link } from "./link.ts";
import { pause } from "./pause.ts";
import { isRetryable, isSessionGone } from "./retry.ts";

/** Where the replies to one client come in. */
export interface InboxOptions {
  readonly entityPath: string;
  /** The session of the replies, on a session entity. */
  readonly sessionId: string | undefined;
  /** Takes a reply; resolves to how it is settled. */
  readonly deliver: (delivery: Delivery) => Promise<Settlement>;
  /** Told when the inbox ended with an error that cannot pass by itself. */
  readonly failed: (error: unknown) => void;
  /** Told of what went wrong and is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Milliseconds that one receive waits; it only bounds how long an idle link is silent. */
const receiveWait = 60_000;

/** Receives replies until it is closed; a lost link is opened and its session accepted again. */
export class ReplyInbox {
  readonly #parts: ClientParts;
  readonly #options: InboxOptions;
  readonly #stop = new AbortController();
  readonly #link: Link<EngineReceiver>;
  #running: Promise<void> | undefined;

  constructor(parts: ClientParts, options: InboxOptions) {
    const { entityPath, sessionId } = options;
    this.#parts = parts;
    this.#options = options;
    this.#link = new Link("inbox of replies", () =>
      sessionId === undefined
        ? parts.engine.openReceiver(entityPath, { receiveMode: "peekLock" })
        : parts.engine.acceptSession(entityPath, {
            sessionId,
            receiveMode: "peekLock",
            maxWaitTime: receiveWait,
            signal: this.#stop.signal,
          }),
    );
  }

  /** Resolves when replies can come in: the session is held before the first request is sent. */
  async open(): Promise<void> {
    await this.#link.get();
    // One that has ended with an error begins again with the next request.
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#link.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; ;) {
      if (signal.aborted) return;
      try {
        const deliveries = await this.#link.use((link) => this.#receive(link, signal));
        failures = 0;
        for (const delivery of deliveries) await this.#handle(delivery);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError(error);
        if (!isRetryable(error) && !isSessionGone(error)) {
          this.#options.failed(error);
          return;
        }
        await pause(this.#parts.clock, this.#parts.retry.delay(++failures), signal);
      }
    }
  }

  /** The session of an inbox that waits is kept by renewing it between two receives. */
  async #receive(link: EngineReceiver, signal: AbortSignal): Promise<readonly Delivery[]> {
    const wait = "sessionLockedUntilUtc" in link ? await renewed(link, this.#parts) : receiveWait;
    return link.receive({ maxMessages: 16, maxWaitTime: wait, signal });
  }

  async #handle(delivery: Delivery): Promise<void> {
    const settlement = await this.#options.deliver(delivery);
    if (delivery.lockToken === undefined) return;
    try {
      await this.#parts.engine.settle(this.#options.entityPath, delivery.lockToken, settlement);
    } catch (error) {
      // It was delivered; a second delivery finds nobody who waits for it.
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
