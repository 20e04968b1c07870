import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { EntityFigures, MeasuredEntity, Metrics } from "./health.ts";
import { settleName, systemOf, typeOf } from "./open-telemetry.ts";

/** The attributes of a measurement. */
export type MetricAttributes = Record<string, string | number>;

/** The part of a meter of `@opentelemetry/api` that is used. */
export interface OpenTelemetryMeter<Observable> {
  createHistogram(
    name: string,
    options: MetricOptions & { readonly advice: { explicitBucketBoundaries: number[] } },
  ): { record(value: number, attributes: MetricAttributes): void };
  createObservableCounter(name: string, options: MetricOptions): Observable;
  createObservableUpDownCounter(name: string, options: MetricOptions): Observable;
  addBatchObservableCallback(
    callback: (result: { observe(observable: Observable, value: number, attributes: MetricAttributes): void }) => void,
    observables: Observable[],
  ): void;
}

/** Unit and description of a metric. */
export interface MetricOptions {
  readonly unit: string;
  readonly description: string;
}

/** The part of `@opentelemetry/api` that is used; only applications that report metrics need that package. */
export interface OpenTelemetryMetricsApi<Observable> {
  readonly metrics: { getMeter(name: string): OpenTelemetryMeter<Observable> };
}

/** A value of a metric at this moment. */
type Observe = (metric: MetricName, value: number, attributes?: MetricAttributes) => void;

type MetricName = keyof typeof metricTable;

/** The metrics besides `messaging.process.duration`, those of the conventions first. */
const metricTable = {
  "messaging.client.sent.messages": [
    "counter",
    "{message}",
    "Messages that were sent; those that failed have an error.type.",
  ],
  "messaging.client.consumed.messages": ["counter", "{message}", "Messages that were received."],
  "sobre.settled.messages": ["counter", "{message}", "Messages that were settled, by outcome."],
  "sobre.dead_lettered.messages": ["counter", "{message}", "Messages that were dead-lettered, by reason."],
  "sobre.retries": ["counter", "{retry}", "Calls and messages that were tried again."],
  "sobre.reconnects": ["counter", "{link}", "Links that were opened again after they were lost."],
  "sobre.links": ["state", "{link}", "Links, by state."],
  "sobre.processors": ["state", "{processor}", "Processors, by state."],
  "sobre.in_flight.messages": ["state", "{message}", "Messages whose handlers are running."],
  "sobre.buffered.messages": ["state", "{message}", "Prefetched messages that wait for a handler."],
} as const satisfies Readonly<Record<string, readonly [kind: "counter" | "state", unit: string, description: string]>>;

const durationName = "messaging.process.duration";

/** The boundaries that the conventions advise, in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Metrics by OpenTelemetry, with the names of its messaging conventions where it has one:
 * `createClient({ metrics: openTelemetryMetrics(api), … })` with `import * as api from "@opentelemetry/api"`. Make one
 * for all clients of a process, whose counts are added up.
 *
 * @throws SobreError `InvalidArgument` when `api` is not that package.
 */
export function openTelemetryMetrics<Observable>(api: OpenTelemetryMetricsApi<Observable>): Metrics {
  checkOption("api", api, isApi);
  const meter = api.metrics.getMeter("sobre");
  const duration = meter.createHistogram(durationName, {
    unit: "s",
    description: "Time that handlers took.",
    advice: { explicitBucketBoundaries: boundaries },
  });
  const observables = new Map<MetricName, Observable>();
  for (const [name, [kind, unit, description]] of tableRows()) {
    const make = kind === "counter" ? "createObservableCounter" : "createObservableUpDownCounter";
    observables.set(name, meter[make](name, { unit, description }));
  }
  const reads = new Set<() => readonly EntityFigures[]>();
  /** The counts of closed clients: counters never go back. */
  const past = new Sums();
  meter.addBatchObservableCallback(
    (result) => {
      const sums = new Sums(past);
      for (const read of reads) for (const figures of read()) observe(figures, sums.add);
      for (const { metric, value, attributes } of sums.values()) {
        const observable = observables.get(metric);
        if (observable !== undefined) result.observe(observable, value, attributes);
      }
    },
    [...observables.values()],
  );
  return {
    start(read) {
      reads.add(read);
      const known = new Map<string, MetricAttributes>();
      return {
        handled(entity, seconds, error) {
          let attributes = known.get(entity.entityPath);
          if (attributes === undefined) known.set(entity.entityPath, (attributes = attributesOf(entity, "process")));
          duration.record(seconds, error === undefined ? attributes : { ...attributes, "error.type": typeOf(error) });
        },
        stop() {
          if (!reads.delete(read)) return;
          for (const figures of read())
            observe(figures, (metric, value, attributes) => {
              if (metricTable[metric][0] === "counter") past.add(metric, value, attributes);
            });
        },
      };
    },
  };
}

/** Values that are added up by metric and attributes. */
class Sums {
  readonly #sums = new Map<
    string,
    { readonly metric: MetricName; value: number; readonly attributes: MetricAttributes }
  >();

  constructor(from?: Sums) {
    for (const { metric, value, attributes } of from?.values() ?? []) this.add(metric, value, attributes);
  }

  readonly add = (metric: MetricName, value: number, attributes: MetricAttributes = {}): void => {
    const key = `${metric} ${JSON.stringify(attributes)}`;
    const sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, { metric, value, attributes });
    else sum.value += value;
  };

  values(): Iterable<{ readonly metric: MetricName; readonly value: number; readonly attributes: MetricAttributes }> {
    return this.#sums.values();
  }
}

function observe(figures: EntityFigures, note: Observe): void {
  const own = attributesOf(figures);
  const each = (metric: MetricName, attribute: string, values: Iterable<readonly [string, number]>): void => {
    for (const [name, value] of values) if (value > 0) note(metric, value, { ...own, [attribute]: name });
  };
  if (figures.sent > 0) note("messaging.client.sent.messages", figures.sent, attributesOf(figures, "send"));
  for (const [code, value] of figures.sendFailures)
    note("messaging.client.sent.messages", value, { ...attributesOf(figures, "send"), "error.type": code });
  if (figures.received > 0)
    note("messaging.client.consumed.messages", figures.received, attributesOf(figures, "receive"));
  each(
    "sobre.settled.messages",
    "messaging.servicebus.disposition_status",
    Object.entries(figures.settled).map(([kind, value]) => [settleName(kind), value]),
  );
  each("sobre.dead_lettered.messages", "sobre.dead_letter.reason", figures.deadLettered);
  each("sobre.retries", "sobre.retry.kind", Object.entries(figures.retries));
  if (figures.reconnects > 0) note("sobre.reconnects", figures.reconnects, own);
  // States are reported at 0, too: an alert has to end.
  note("sobre.links", figures.openLinks, { ...own, "sobre.state": "open" });
  note("sobre.links", figures.lostLinks, { ...own, "sobre.state": "lost" });
  for (const [state, value] of Object.entries(figures.processors))
    note("sobre.processors", value, { ...own, "sobre.state": state });
  note("sobre.in_flight.messages", figures.inFlight, own);
  note("sobre.buffered.messages", figures.buffered, own);
}

function attributesOf({ engine, entityPath, server }: MeasuredEntity, operation?: string): MetricAttributes {
  return {
    "messaging.system": systemOf(engine),
    "messaging.destination.name": entityPath,
    ...(operation !== undefined && { "messaging.operation.name": operation }),
    ...(server !== undefined && { "server.address": server.address, "server.port": server.port }),
  };
}

const isMetric = (name: string): name is MetricName => name in metricTable;

const tableRows = (): [MetricName, (typeof metricTable)[MetricName]][] =>
  Object.keys(metricTable)
    .filter(isMetric)
    .map((name) => [name, metricTable[name]]);

function isApi(api: unknown): string | undefined {
  const metrics: unknown = is.object(api) === undefined ? Reflect.get(Object(api), "metrics") : undefined;
  return is.object(metrics) === undefined && typeof Reflect.get(Object(metrics), "getMeter") === "function"
    ? undefined
    : "must be the whole of @opentelemetry/api (import * as api); metrics is missing";
}
