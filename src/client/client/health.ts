import type { Settlement } from "../../core/engine/delivery.ts";
import type { TracedOperation } from "./tracing.ts";

/** The state of a processor in {@link ClientHealth}. */
export interface ProcessorHealth {
  readonly entityPath: string;
  /**
   * `ended` by itself, with an error that is not transient: listed until it is closed or another one is started on its
   * entity. Processors that were closed are not listed.
   */
  readonly status: "running" | "paused" | "ended";
  /** Messages whose handlers are running. */
  readonly inFlight: number;
  /** Prefetched messages that wait for a handler. */
  readonly buffered: number;
  /** The error that ended it. */
  readonly error: unknown;
}

/** The entity of {@link EntityFigures}. */
export interface MeasuredEntity extends Pick<TracedOperation, "engine" | "server"> {
  readonly entityPath: string;
}

/**
 * The counts of one entity since the client was created. Of more than 1,000 entities, the rest are counted as `_OTHER`;
 * of addresses of replies, those after the hundredth entity.
 */
export interface EntityFigures extends MeasuredEntity {
  /** Messages that the broker has accepted. */
  readonly sent: number;
  /** Messages whose sends failed after all retries, by error code. */
  readonly sendFailures: ReadonlyMap<string, number>;
  readonly received: number;
  /** Settlements that succeeded. */
  readonly settled: Readonly<Record<Settlement["kind"], number>>;
  /** Dead-lettered messages by reason; of more than 50 reasons, the rest are counted as `_OTHER`. */
  readonly deadLettered: ReadonlyMap<string, number>;
  /** `call`: calls and receive loops that were tried again; `immediate` and `delayed`: messages, by `retries`. */
  readonly retries: Readonly<Record<"call" | "immediate" | "delayed", number>>;
  readonly openLinks: number;
  /** Links that were lost, or could not be opened, and are not open again. */
  readonly lostLinks: number;
  readonly reconnects: number;
  readonly processors: Readonly<Record<ProcessorHealth["status"], number>>;
  /** Messages whose handlers are running. */
  readonly inFlight: number;
  /** Prefetched messages that wait for a handler. */
  readonly buffered: number;
}

/** The state of a client, for readiness and liveness probes. */
export interface ClientHealth {
  /**
   * `failed` when a processor has ended by itself; `degraded` while a processor pauses or a link is lost; `healthy`
   * otherwise.
   */
  readonly status: "healthy" | "degraded" | "failed";
  readonly processors: readonly ProcessorHealth[];
  readonly entities: readonly EntityFigures[];
}

/** Reports the figures of clients; created by `openTelemetryMetrics()`. */
export interface Metrics {
  /**
   * Called when a client is created.
   *
   * @param read The current figures.
   */
  start(read: () => readonly EntityFigures[]): {
    /** Called when a handler has ended, with the error that it threw. */
    handled(entity: MeasuredEntity, seconds: number, error: unknown): void;
    /** Called when the client is closed. */
    stop(): void;
  };
}

/** The health of a client with these processors and figures. */
export function healthOf(processors: readonly ProcessorHealth[], entities: readonly EntityFigures[]): ClientHealth {
  const isFailed = processors.some(({ status }) => status === "ended");
  const isDegraded =
    processors.some(({ status }) => status === "paused") || entities.some(({ lostLinks }) => lostLinks > 0);
  return { status: isFailed ? "failed" : isDegraded ? "degraded" : "healthy", processors, entities };
}
