import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type { Engine, EngineReceiver, ReceiveOptions } from "../../core/engine/engine.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { EntitySignals } from "./signals.ts";
import { ClientLink } from "./link.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import { Prefetch } from "./prefetch.ts";
import { isRetryable } from "./attempts.ts";

/** The source of an entity's deliveries: a link, or prefetched messages. */
export interface DeliverySource {
  /** The connection that holds the locks, to settle with. */
  readonly engine: Engine;
  /** The number of prefetched messages. */
  readonly buffered: number;
  receive(options: ReceiveOptions): Promise<readonly Delivery[]>;
  /** Reports an error of `receive`, so that the next call reopens a lost link; resolves to whether a retry may succeed. */
  failed(error: unknown): Promise<boolean>;
  /** Releases the prefetched messages. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** Options of {@link openSource}. */
export interface SourceOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly signals: EntitySignals;
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  readonly prefetchCount: number;
}

/**
 * A source of deliveries; the link is opened by the first receive.
 *
 * @throws SobreError `InvalidArgument` for prefetching in `receiveAndDelete`, which would lose messages that nobody
 * took.
 *
 * Prefetching has its own connection: closing that releases unused messages without counting a delivery.
 */
export function openSource(options: SourceOptions): DeliverySource {
  const { engine, entityPath, receiveMode, prefetchCount } = options;
  if (prefetchCount > 0 && receiveMode === "receiveAndDelete") {
    throw invalidOption(
      "prefetchCount",
      'needs receiveMode: "peekLock"; messages deleted when prefetched could not be released',
    );
  }
  if (prefetchCount > 0) return new PrefetchingSource(options);
  const state = options.signals.link("receiver");
  const link = new ClientLink("receiver", () => engine.openReceiver(entityPath, { receiveMode }), state);
  return {
    engine,
    buffered: 0,
    receive(receiveOptions) {
      const { current } = link;
      return current === undefined
        ? link.get().then((opened) => opened.receive(receiveOptions))
        : current.receive(receiveOptions);
    },
    async failed(error) {
      await link.lost(link.current, error);
      return isRetryable(error);
    },
    empty: async () => undefined,
    close: () => link.close(),
  };
}

class PrefetchingSource implements DeliverySource {
  readonly #options: SourceOptions;
  readonly #prefetch: Prefetch;
  readonly #link: ClientLink<EngineReceiver>;
  #connection: Engine | undefined;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.#link = new ClientLink("receiver", () => this.#open(), options.signals.link("receiver"));
    const { entityPath } = options;
    this.#prefetch = new Prefetch({
      count: options.prefetchCount,
      clock: options.clock,
      fetch: (receiveOptions) => this.#link.use((link) => link.receive(receiveOptions)),
      renew: async ({ lockToken }) =>
        lockToken === undefined ? new Date(NaN) : this.engine.renew(entityPath, lockToken),
      giveBack: async ({ lockToken }) => {
        if (lockToken !== undefined) await this.engine.settle(entityPath, lockToken, { kind: "release" });
      },
    });
  }

  get engine(): Engine {
    return this.#connection ?? this.#options.engine;
  }

  get buffered(): number {
    return this.#prefetch.size;
  }

  receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    return this.#prefetch.take(options);
  }

  /** The messages are fetched through the link, which has already seen the error. */
  async failed(error: unknown): Promise<boolean> {
    return isRetryable(error);
  }

  empty(): Promise<void> {
    return this.#prefetch.empty();
  }

  async close(): Promise<void> {
    await this.#prefetch.close();
    await this.#link.close();
    await this.#connection?.close();
  }

  /** A lost connection has lost its locks, so a new one is made each time. */
  async #open(): Promise<EngineReceiver> {
    this.#prefetch.forget();
    const lost = this.#connection;
    this.#connection = undefined;
    await lost?.close().catch(() => undefined);
    const { engine, entityPath, receiveMode } = this.#options;
    const connection = await engine.connect();
    this.#connection = connection;
    return connection.openReceiver(entityPath, { receiveMode });
  }
}
