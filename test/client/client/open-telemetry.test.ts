import { AsyncLocalStorage } from "node:async_hooks";
import * as api from "@opentelemetry/api";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { openTelemetry } from "../../../src/client/client/index.ts";
import { setup } from "./setup.support.ts";

interface Noted {
  readonly name: string;
  readonly kind: number | undefined;
  readonly attributes: api.Attributes;
  readonly parent: string | undefined;
  readonly links: readonly string[];
  readonly spanId: string;
  readonly exceptions: unknown[];
  code: number | undefined;
  ended: boolean;
}

const spans: Noted[] = [];
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

/** A tracer that records its calls, and a propagator of W3C form: the API alone does nothing. */
const tracer: api.Tracer = {
  startSpan(name, { kind, attributes = {}, links = [] } = {}, context = api.context.active()) {
    const parent = api.trace.getSpanContext(context)?.spanId;
    const spanId = (spans.length + 1).toString(16).padStart(16, "0");
    const noted: Noted = {
      name,
      kind,
      attributes: { ...attributes },
      parent,
      links: links.map(({ context: { spanId: linked } }) => linked),
      spanId,
      exceptions: [],
      code: undefined,
      ended: false,
    };
    spans.push(noted);
    const span = api.trace.wrapSpanContext({ traceId, spanId, traceFlags: 1 });
    return Object.assign(Object.create(span), {
      setAttribute: (key: string, value: string) => void (noted.attributes[key] = value),
      setStatus: ({ code }: { readonly code: number }) => void (noted.code = code),
      recordException: (error: unknown) => void noted.exceptions.push(error),
      end: () => void (noted.ended = true),
      spanContext: () => span.spanContext(),
    });
  },
  startActiveSpan: () => {
    throw new Error("not used");
  },
};

const contexts = new AsyncLocalStorage<api.Context>();
const contextManager: api.ContextManager = {
  active: () => contexts.getStore() ?? api.ROOT_CONTEXT,
  with: (context, run, self, ...args) => contexts.run(context, () => run.call(self, ...args)),
  bind: (_context, target) => target,
  enable: () => contextManager,
  disable: () => contextManager,
};

beforeAll(() => {
  api.context.setGlobalContextManager(contextManager);
  api.trace.setGlobalTracerProvider({ getTracer: () => tracer });
  api.propagation.setGlobalPropagator({
    fields: () => ["traceparent"],
    inject(context, carrier, setter) {
      const spanContext = api.trace.getSpanContext(context);
      const tenant = api.propagation.getBaggage(context)?.getEntry("tenant")?.value;
      if (tenant !== undefined) setter.set(carrier, "baggage", `tenant=${tenant}`);
      if (spanContext) setter.set(carrier, "traceparent", `00-${spanContext.traceId}-${spanContext.spanId}-01`);
    },
    extract(context, carrier, getter) {
      const [, found = "", spanId = ""] = String(getter.get(carrier, "traceparent")).split("-");
      const [, tenant] = /tenant=(\w+)/.exec(String(getter.get(carrier, "baggage"))) ?? [];
      const baggage = api.propagation.createBaggage(tenant === undefined ? {} : { tenant: { value: tenant } });
      const traced = api.trace.setSpanContext(context, { traceId: found, spanId, traceFlags: 1, isRemote: true });
      return api.propagation.setBaggage(traced, baggage);
    },
  });
});

beforeEach(() => void (spans.length = 0));

afterAll(() => {
  api.trace.disable();
  api.context.disable();
  api.propagation.disable();
});

describe("OpenTelemetry", () => {
  it("follows a message from its sender to its handler, by its conventions", async () => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 1 } } }, { tracing: openTelemetry(api) });
    const failure = Object.assign(new Error("no stock"), { code: "OutOfStock" });
    client.startProcessor("orders", { processMessage: () => Promise.reject(failure), processError: vi.fn() });

    await client.createSender("orders").sendMessages({ body: 1, applicationProperties: { tenant: "a" } });
    await clock.advance(0);
    const [letter] = await client.createReceiver("orders/$DeadLetterQueue").peekMessages(1);

    const [create, send, process, settle] = spans;
    expect(spans.map(({ name }) => name)).toEqual(["create orders", "send orders", "process orders", "abandon orders"]);
    expect(spans.every(({ ended }) => ended)).toBe(true);
    expect(create).toMatchObject({ kind: api.SpanKind.PRODUCER });
    expect(send?.attributes).toEqual({
      "messaging.system": "memory",
      "messaging.destination.name": "orders",
      "messaging.operation.type": "send",
      "messaging.operation.name": "send",
      "messaging.message.id": expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(send?.links).toEqual([create?.spanId]);
    expect(process).toMatchObject({
      kind: api.SpanKind.CONSUMER,
      parent: create?.spanId,
      code: api.SpanStatusCode.ERROR,
      exceptions: [failure],
      attributes: { "error.type": "OutOfStock" },
    });
    expect(settle).toMatchObject({
      kind: api.SpanKind.CLIENT,
      links: [create?.spanId],
      code: undefined,
      attributes: {
        "messaging.operation.type": "settle",
        "messaging.operation.name": "abandon",
        "messaging.destination.name": "orders",
      },
    });
    const carried = `00-${traceId}-${create?.spanId}-01`;
    expect(letter?.applicationProperties).toMatchObject({
      tenant: "a",
      traceparent: carried,
      "Diagnostic-Id": carried,
    });
  });

  it("leaves a context alone that the message already has, and records a send that failed", async () => {
    const { client, faults } = setup({ queues: ["orders"] }, { tracing: openTelemetry(api) });
    const traceparent = `00-${traceId}-00f067aa0ba902b7-00`;
    const sender = client.createSender("orders");

    await sender.sendMessages([{ body: 1, applicationProperties: { traceparent } }, { body: 2 }]);
    faults.refuse("send", "QuotaExceeded");
    await sender.sendMessages({ body: 3 }).catch(() => undefined);
    const [first] = await client.createReceiver("orders").peekMessages(1);

    const sends = spans.filter(({ name }) => name.startsWith("send"));
    expect(first?.applicationProperties).toEqual({ traceparent });
    expect(sends).toMatchObject([
      { attributes: { "messaging.batch.message_count": 2 } },
      { code: api.SpanStatusCode.ERROR, attributes: { "error.type": "QuotaExceeded" } },
    ]);
  });

  it("leaves a Diagnostic-Id alone, so that its readers and those of traceparent see the same trace", async () => {
    const { client } = setup({ queues: ["orders"] }, { tracing: openTelemetry(api) });
    const diagnosticId = { "Diagnostic-Id": `00-${traceId}-00f067aa0ba902b7-00` };

    await client.createSender("orders").sendMessages({ body: 1, applicationProperties: diagnosticId });
    const [message] = await client.createReceiver("orders").peekMessages(1);

    expect(message?.applicationProperties).toEqual(diagnosticId);
  });

  it("records a handler that failed without an error", async () => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 1 } } }, { tracing: openTelemetry(api) });
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what is tested
    client.startProcessor("orders", { processMessage: () => Promise.reject(), processError: vi.fn() });

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);

    expect(spans.find(({ name }) => name === "process orders")).toMatchObject({
      code: api.SpanStatusCode.ERROR,
      ended: true,
    });
  });

  it("runs the handler and its processError in the context that was carried, with its baggage", async () => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 1 } } }, { tracing: openTelemetry(api) });
    const seen: (string | undefined)[] = [];
    const note = (): void => {
      const context = api.context.active();
      const tenant = api.propagation.getBaggage(context)?.getEntry("tenant")?.value;
      seen.push(`${tenant} ${api.trace.getSpanContext(context)?.spanId}`);
    };
    client.startProcessor("orders", {
      processMessage: async () => {
        note();
        throw new Error("no stock");
      },
      processError: async () => note(),
    });

    const baggage = api.propagation.createBaggage({ tenant: { value: "acme" } });
    await api.context.with(api.propagation.setBaggage(api.ROOT_CONTEXT, baggage), () =>
      client.createSender("orders").sendMessages({ body: 1 }),
    );
    await clock.advance(0);

    const process = spans.find(({ name }) => name === "process orders");
    expect(seen).toEqual([`acme ${process?.spanId}`, `acme ${process?.spanId}`]);
  });

  it("has a process span for a message that nothing can read, and calls processError inside it", async () => {
    const { client, clock } = setup({ queues: ["orders"] }, { tracing: openTelemetry(api) });
    const active: unknown[] = [];
    client.startProcessor("orders", {
      processMessage: vi.fn(),
      processError: async () => void active.push(api.trace.getSpanContext(api.context.active())?.spanId),
    });

    await client.createSender("orders").sendEnvelopes([
      createEnvelope({
        payload: Uint8Array.of(0x7b),
        brokerProperties: { contentType: "application/json", messageId: "m" },
      }),
    ]);
    await clock.advance(0);

    const process = spans.find(({ name }) => name === "process orders");
    expect(process).toMatchObject({
      code: api.SpanStatusCode.ERROR,
      ended: true,
      attributes: { "error.type": "Unreadable", "messaging.message.id": "m" },
    });
    expect(active).toEqual([process?.spanId]);
    expect(await client.createReceiver("orders/$DeadLetterQueue").peekMessages(1)).toHaveLength(1);
  });

  it("has a settle span for every verb, which ends with what went wrong", async () => {
    const { client, clock } = setup({ queues: ["orders"] }, { tracing: openTelemetry(api) });
    await client.createSender("orders").sendMessages([1, 2, 3, 4].map((body) => ({ body })));
    const receiver = client.createReceiver("orders");
    const [first, second, third, fourth] = await receiver.receiveMessages(4);
    if (!first || !second || !third || !fourth) throw new Error("four were sent");

    await receiver.completeMessage(first);
    await receiver.deferMessage(second);
    await receiver.deadLetterMessage(third);
    await clock.advance(3_600_000);
    await receiver.completeMessage(fourth).catch(() => undefined);

    const settles = spans.filter(({ attributes }) => attributes["messaging.operation.type"] === "settle");
    expect(settles.map(({ name, code }) => [name, code])).toEqual([
      ["complete orders", undefined],
      ["defer orders", undefined],
      ["dead_letter orders", undefined],
      ["complete orders", api.SpanStatusCode.ERROR],
    ]);
    expect(settles.at(-1)).toMatchObject({ ended: true, attributes: { "error.type": "MessageLockLost" } });
  });

  it("names the broker's address where it is on a network", () => {
    const tracing = openTelemetry(api);
    const server = { address: "contoso.servicebus.windows.net", port: 5671 };

    tracing.startSend({ entityPath: "orders", engine: "azure", messageCount: 1, server }).end();

    expect(spans).toMatchObject([
      {
        attributes: {
          "messaging.system": "servicebus",
          "server.address": "contoso.servicebus.windows.net",
          "server.port": 5671,
        },
      },
    ]);
  });

  it("links the send span of a batch to each message, and names message, conversation and type", async () => {
    const { client, clock } = setup({ queues: ["orders"] }, { tracing: openTelemetry(api) });
    const handled = vi.fn(async () => undefined);
    client.startProcessor("orders", { processMessage: handled, processError: vi.fn() });
    const applicationProperties = { "sobre-type": "acme.order", "sobre-version": 1 };

    await client.createSender("orders").sendMessages([
      { body: 1, messageId: "a", correlationId: "c", applicationProperties },
      { body: 2, messageId: "b" },
    ]);
    await clock.advance(0);

    const created = spans.filter(({ name }) => name === "create orders").map(({ spanId }) => spanId);
    const send = spans.find(({ name }) => name === "send orders");
    const processes = spans.filter(({ name }) => name === "process orders");
    expect(send?.links).toEqual(created);
    expect(send?.attributes).toMatchObject({ "messaging.batch.message_count": 2 });
    expect(processes.map(({ attributes }) => attributes)).toMatchObject([
      {
        "messaging.message.id": "a",
        "messaging.message.conversation_id": "c",
        "sobre.message.type": "acme.order",
      },
      { "messaging.message.id": "b" },
    ]);
  });
});
