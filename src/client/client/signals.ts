import { emitWarning } from "../../core/host/node.ts";
import type { Settlement } from "../../core/engine/delivery.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { BrokerProperties } from "../../core/envelope/broker-properties.ts";
import type { ClientEvent, LinkKind } from "./client-events.ts";
import type { EntityFigures, Metrics, ProcessorHealth } from "./health.ts";
import { codeOf, notify } from "./process-error.ts";

/** A processor whose state `client.health()` reads: a running one, or one that has ended by itself. */
export interface WatchedProcessor {
  health(): ProcessorHealth;
}

/** A retry of a call or loop. */
export type Retrying = (error: unknown, attempt: number, delayInMs: number) => void;

/** The maximum number of entities, error codes or reasons that are counted apart from each other. */
const maxSeparateCounts = 1_000;
/** Requests name reply addresses, perhaps a new one each: beyond so many entities they have no counts of their own. */
const maxEntitiesWithReplies = 100;
const maxReasons = 50;

/** The name under which further ones are counted together, as in OpenTelemetry's conventions. */
const others = "_OTHER";

/** The events and counts of a client. */
export class Signals {
  readonly #engine: Pick<Engine, "name" | "server">;
  readonly #onEvent: ((event: ClientEvent) => void) | undefined;
  readonly #entities = new Map<string, EntitySignals>();
  /** For what belongs to no entity. */
  readonly root: EntitySignals;
  /** Reports how long a handler took; without metrics nobody asks. */
  readonly handled: ReturnType<Metrics["start"]>["handled"] | undefined;
  readonly #stop: (() => void) | undefined;

  constructor(
    engine: Pick<Engine, "name" | "server">,
    {
      onEvent,
      metrics,
    }: { readonly onEvent?: ((event: ClientEvent) => void) | undefined; readonly metrics?: Metrics | undefined } = {},
  ) {
    this.#engine = engine;
    this.#onEvent = onEvent;
    this.root = new EntitySignals("", engine, this);
    const started = metrics?.start(() => this.figures());
    this.handled = started && ((figures, seconds, error) => started.handled(figures, seconds, error));
    this.#stop = started && (() => started.stop());
  }

  of(entityPath: string, most: number = maxSeparateCounts): EntitySignals {
    const path = this.#entities.size < most || this.#entities.has(entityPath) ? entityPath : others;
    let entity = this.#entities.get(path);
    if (entity === undefined) this.#entities.set(path, (entity = new EntitySignals(path, this.#engine, this)));
    return entity;
  }

  figures(): readonly EntityFigures[] {
    return [...this.#entities.values()].map((entity) => entity.figures());
  }

  processors(): readonly ProcessorHealth[] {
    return [...this.#entities.values()].flatMap(({ processors }) => [...processors].map((one) => one.health()));
  }

  emit(event: ClientEvent): void {
    notify(this.#onEvent ?? warn, event);
  }

  /** Ends the metrics. */
  stop(): void {
    this.#stop?.();
  }
}

/** The events and counts of one entity. The counts are plain numbers: every message changes some of them. */
export class EntitySignals {
  readonly entityPath: string;
  readonly processors: Set<WatchedProcessor> = new Set();
  sent: number = 0;
  received: number = 0;
  immediateRetries: number = 0;
  delayedRetries: number = 0;
  openLinks: number = 0;
  lostLinks: number = 0;
  reconnects: number = 0;
  readonly #engine: Pick<Engine, "name" | "server">;
  readonly #signals: Signals;
  readonly #settled = { complete: 0, abandon: 0, defer: 0, deadLetter: 0, release: 0 };
  readonly #sendFailures = new Map<string, number>();
  readonly #reasons = new Map<string, number>();
  #callRetries = 0;

  constructor(entityPath: string, engine: Pick<Engine, "name" | "server">, signals: Signals) {
    this.entityPath = entityPath;
    this.#engine = engine;
    this.#signals = signals;
  }

  /** The signals of an entity of the client; signals that belong to an entity are returned as they are. */
  at(entityPath: string): EntitySignals {
    return this.entityPath === "" ? this.#signals.of(entityPath) : this;
  }

  /** The signals of a reply address. */
  atReplyTo(entityPath: string): EntitySignals {
    return this.#signals.of(entityPath, maxEntitiesWithReplies);
  }

  /** Whether the time that handlers take is wanted. */
  get timesHandlers(): boolean {
    return this.#signals.handled !== undefined;
  }

  figures(): EntityFigures {
    const { name: engine, server } = this.#engine;
    const { entityPath, sent, received, openLinks, lostLinks, reconnects } = this;
    const processors = { running: 0, paused: 0, ended: 0 };
    let inFlight = 0;
    let buffered = 0;
    for (const one of this.processors) {
      const health = one.health();
      processors[health.status]++;
      inFlight += health.inFlight;
      buffered += health.buffered;
    }
    return {
      entityPath,
      engine,
      server,
      sent,
      sendFailures: new Map(this.#sendFailures),
      received,
      settled: { ...this.#settled },
      deadLettered: new Map(this.#reasons),
      retries: { call: this.#callRetries, immediate: this.immediateRetries, delayed: this.delayedRetries },
      openLinks,
      lostLinks,
      reconnects,
      processors,
      inFlight,
      buffered,
    };
  }

  /** Lists a new processor, in place of those of its entity that have ended: it was started again. */
  watch(processor: WatchedProcessor): void {
    const { entityPath } = processor.health();
    for (const one of this.processors) {
      const health = one.health();
      // Entities that are counted together share the list.
      if (health.status === "ended" && health.entityPath === entityPath) this.processors.delete(one);
    }
    this.processors.add(processor);
  }

  sendFailed(error: unknown, messages: number): void {
    count(this.#sendFailures, codeOf(error), messages);
  }

  settled(settlement: Settlement): void {
    this.#settled[settlement.kind]++;
    if (settlement.kind === "deadLetter") count(this.#reasons, settlement.deadLetterReason ?? "");
  }

  handled(seconds: number, error: unknown): void {
    this.#signals.handled?.(
      { entityPath: this.entityPath, engine: this.#engine.name, server: this.#engine.server },
      seconds,
      error,
    );
  }

  readonly retrying: Retrying = (error, attempt, delayInMs) => {
    this.#callRetries++;
    this.#signals.emit({ type: "retrying", entityPath: this.entityPath, error, attempt, delayInMs });
  };

  lockLost(error: unknown, { messageId, sessionId }: Pick<BrokerProperties, "messageId" | "sessionId">): void {
    this.#signals.emit({ type: "lockLost", entityPath: this.entityPath, messageId, sessionId, error });
  }

  paused(pauseInMs: number, failures: number): void {
    this.#signals.emit({ type: "paused", entityPath: this.entityPath, pauseInMs, failures });
  }

  resumed(): void {
    this.#signals.emit({ type: "resumed", entityPath: this.entityPath });
  }

  processorEnded(error: unknown): void {
    this.#signals.emit({ type: "processorEnded", entityPath: this.entityPath, error });
  }

  link(kind: LinkKind): LinkReport {
    const { entityPath } = this;
    return new LinkReport(this, {
      connected: () => this.#signals.emit({ type: "connected", entityPath, link: kind }),
      disconnected: (error) => this.#signals.emit({ type: "disconnected", entityPath, link: kind, error }),
    });
  }
}

/** Whether a link is open; only changes are reported. */
export class LinkReport {
  readonly #counts: Pick<EntitySignals, "openLinks" | "lostLinks" | "reconnects">;
  readonly #report: { readonly connected: () => void; readonly disconnected: (error: unknown) => void };
  #state: "new" | "open" | "lost" = "new";

  constructor(
    counts: Pick<EntitySignals, "openLinks" | "lostLinks" | "reconnects">,
    report: { readonly connected: () => void; readonly disconnected: (error: unknown) => void },
  ) {
    this.#counts = counts;
    this.#report = report;
  }

  opened(): void {
    if (this.#state === "open") return;
    if (this.#state === "lost") {
      this.#counts.lostLinks--;
      this.#counts.reconnects++;
    }
    this.#counts.openLinks++;
    this.#state = "open";
    this.#report.connected();
  }

  lost(error: unknown): void {
    if (this.#state === "lost") return;
    this.closed();
    this.#counts.lostLinks++;
    this.#state = "lost";
    this.#report.disconnected(error);
  }

  /** Called when it was closed on purpose, which is not reported. */
  closed(): void {
    if (this.#state === "open") this.#counts.openLinks--;
    if (this.#state === "lost") this.#counts.lostLinks--;
    this.#state = "new";
  }
}

function count(counts: Map<string, number>, name: string, by = 1): void {
  const known = counts.size < maxReasons || counts.has(name) ? name : others;
  counts.set(known, (counts.get(known) ?? 0) + by);
}

/** A service whose processor has ended goes on as if nothing had happened: without a listener, Node prints it. */
function warn(event: ClientEvent): void {
  if (event.type !== "processorEnded") return;
  const { entityPath, error } = event;
  const cause = error instanceof Error ? error.message : codeOf(error);
  emitWarning(`The processor on "${entityPath}" has ended and receives nothing any more: ${cause}`, codeOf(error));
}
