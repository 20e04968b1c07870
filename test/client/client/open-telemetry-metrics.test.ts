import * as api from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTelemetryMetrics } from "../../../src/client/client/index.ts";
import { refusal } from "../../refusal.support.ts";
import { setup } from "./setup.support.ts";

/** A meter that adds nothing of its own: the API alone does nothing. */
class NotingMeter {
  readonly recorded: { readonly value: number; readonly attributes: api.Attributes | undefined }[] = [];
  readonly #names = new Map<unknown, string>();
  #callback: api.BatchObservableCallback = () => undefined;

  readonly meter: api.Meter = Object.assign(Object.create(api.createNoopMeter()), {
    createHistogram: () => ({
      record: (value: number, attributes?: api.Attributes) => void this.recorded.push({ value, attributes }),
    }),
    createObservableCounter: (name: string) => this.#observable(name),
    createObservableUpDownCounter: (name: string) => this.#observable(name),
    addBatchObservableCallback: (callback: api.BatchObservableCallback) => void (this.#callback = callback),
  });

  #observable(name: string): api.Observable {
    const observable = { addCallback: () => undefined, removeCallback: () => undefined };
    this.#names.set(observable, name);
    return observable;
  }

  /** The values of a metric, by the attribute that tells them apart. */
  collect(metric: string, attribute = "messaging.destination.name"): Record<string, number> {
    const values: Record<string, number> = {};
    void this.#callback({
      observe: (observable, value, attributes = {}) => {
        if (this.#names.get(observable) === metric) values[String(attributes[attribute])] = value;
      },
    });
    return values;
  }
}

let noting: NotingMeter;
beforeEach(() => {
  noting = new NotingMeter();
  api.metrics.setGlobalMeterProvider({ getMeter: () => noting.meter });
});
afterEach(() => api.metrics.disable());

describe("metrics by OpenTelemetry", () => {
  it("count what was sent, received, settled, dead-lettered and retried, per entity", async () => {
    const { client, clock } = setup({ queues: ["orders"] }, { metrics: openTelemetryMetrics(api) });
    client.startProcessor(
      "orders",
      {
        processMessage({ body }) {
          if (body === "wrong") throw Object.assign(new Error("wrong"), { retryable: false });
        },
        processError: () => undefined,
      },
      { retries: { immediate: 1 } },
    );
    await client.createSender("orders").sendMessages([{ body: "good" }, { body: "wrong" }]);
    await clock.advance(0);

    expect(noting.collect("messaging.client.sent.messages")).toEqual({ orders: 2 });
    expect(noting.collect("messaging.client.consumed.messages")).toEqual({ orders: 2 });
    expect(noting.collect("sobre.settled.messages", "messaging.servicebus.disposition_status")).toEqual({
      complete: 1,
      dead_letter: 1,
    });
    expect(noting.collect("sobre.dead_lettered.messages", "sobre.dead_letter.reason")).toEqual({ NotRetryable: 1 });
    expect(noting.collect("sobre.processors", "sobre.state")).toEqual({ running: 1, paused: 0, ended: 0 });
    expect(noting.collect("sobre.links", "sobre.state")).toEqual({ open: 2, lost: 0 });
    expect(noting.collect("sobre.in_flight.messages")).toEqual({ orders: 0 });
    expect(noting.collect("sobre.buffered.messages")).toEqual({ orders: 0 });
  });

  it("record how long handlers took, in seconds, with the type of the error", async () => {
    const { client, clock } = setup({ queues: ["orders"] }, { metrics: openTelemetryMetrics(api) });
    client.startProcessor(
      "orders",
      {
        async processMessage({ body }) {
          await new Promise<void>((resolve) => clock.setTimer(clock.now() + 2_500, resolve));
          if (body === 2) throw new RangeError("wrong");
        },
        processError: () => undefined,
      },
      { retries: {} },
    );
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await clock.advance(10_000);

    const attributes = {
      "messaging.system": "memory",
      "messaging.destination.name": "orders",
      "messaging.operation.name": "process",
    };
    expect(noting.recorded).toEqual([
      { value: 2.5, attributes },
      { value: 2.5, attributes: { ...attributes, "error.type": "RangeError" } },
    ]);
  });

  it("count retried calls, reconnected links and failed sends", async () => {
    const { client, clock, faults } = setup({ queues: ["orders"] }, { metrics: openTelemetryMetrics(api) });
    const sender = client.createSender("orders");
    await sender.sendMessages({ body: 1 });
    await faults.cut();
    const sending = sender.sendMessages({ body: 2 });
    await clock.advance(10_000);
    await sending;
    await client
      .createSender("nowhere")
      .sendMessages({ body: 3 })
      .catch(() => undefined);

    expect(noting.collect("sobre.reconnects")).toEqual({ orders: 1 });
    expect(noting.collect("sobre.retries", "sobre.retry.kind")).toEqual({ call: 1 });
    expect(noting.collect("messaging.client.sent.messages", "error.type")).toEqual({
      undefined: 2,
      MessagingEntityNotFound: 1,
    });
  });

  it("add up the clients of a process, and keep the counts of those that are closed", async () => {
    const metrics = openTelemetryMetrics(api);
    const clients = [setup({ queues: ["orders"] }, { metrics }), setup({ queues: ["orders"] }, { metrics })];
    for (const { client } of clients) await client.createSender("orders").sendMessages({ body: 1 });
    const both = noting.collect("messaging.client.sent.messages");
    await clients[0]?.client.close();

    expect(both).toEqual({ orders: 2 });
    expect(noting.collect("messaging.client.sent.messages")).toEqual({ orders: 2 });
    expect(noting.collect("sobre.links", "sobre.state")).toEqual({ open: 1, lost: 0 });
  });

  it.each([[{}], [undefined], [{ metrics: {} }]])("require the whole API, not %o", (given) => {
    expect(refusal(() => Reflect.apply(openTelemetryMetrics, undefined, [given])).path).toBe("$.api");
  });
});
