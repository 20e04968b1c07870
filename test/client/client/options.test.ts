import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/create-client.ts";
import { openTelemetry } from "../../../src/client/client/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { setup } from "./setup.support.ts";

const queues = { queues: ["orders"] };
const handlers = { processMessage: () => undefined, processError: () => undefined };
const wrongNumbers = [Number.NaN, -1, 1.5, "1", null, {}];
const wrongTimes = [Number.NaN, -1, "1", null, {}];

/** Each function, with the wrong values of each option; options of options have a dot. */
const factories: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  createClient: {
    engine: [undefined, null, "memory", {}],
    serializer: [undefined, null, {}],
    stages: ["gzip", [1], [{}], null],
    clock: [null, Date, {}],
    tracing: [true, {}],
    retryOptions: [null, 3, []],
    "retryOptions.maxRetries": [...wrongNumbers, Infinity],
    "retryOptions.retryDelayInMs": wrongTimes,
    "retryOptions.maxRetryDelayInMs": wrongTimes,
    "retryOptions.mode": ["linear", null],
    "retryOptions.maxRetrys": [1],
    engines: [1],
  },
  createReceiver: {
    receiveMode: ["peek", null],
    subQueueType: ["dlq", null],
    messageTypes: ["acme.order", [1], [{}], {}, null],
    onUnreadable: ["drop", true],
    prefetchCount: [...wrongNumbers, Infinity],
    maxAutoLockRenewalDurationInMs: wrongTimes,
    prefetch: [1],
  },
  startProcessor: {
    receiveMode: ["peek", null],
    messageTypes: [{}, [1]],
    maxConcurrentCalls: [...wrongNumbers, 0, Infinity],
    autoCompleteMessages: ["no", 0, null],
    prefetchCount: [...wrongNumbers, Infinity],
    maxAutoLockRenewalDurationInMs: wrongTimes,
    maxConcurrentCall: [1],
  },
  startSessionProcessor: {
    maxConcurrentSessions: [...wrongNumbers, 0],
    maxConcurrentCallsPerSession: [...wrongNumbers, 0],
    sessionIdleTimeout: wrongTimes,
    sessionIds: ["one", [1], {}, [], ["one", "one"]],
    prefetchCount: [1],
  },
  createRequester: {
    replyTo: [undefined, "", 1, null],
    receiveFrom: ["", 1, null],
    replyToSessionId: ["", false, 1],
    messageTypes: [{}],
    onError: ["log"],
    replyto: ["replies"],
  },
  startSessionWorkflow: {
    subjects: ["start", null],
    "subjects.end": [1, "start"],
    receiveMode: ["receiveAndDelete"],
    autoCompleteMessages: [false],
    maxConcurrentCallsPerSession: [2],
    subject: [1],
  },
  redrive: {
    to: ["", 1],
    where: [true],
    repair: ["fix"],
    readableBy: [{}],
    maxRedrives: wrongNumbers,
    maxMessages: [...wrongNumbers, 0],
    dryRun: ["yes", 1, null],
    messageIds: ["drop"],
    onProgress: [1],
    abortSignal: [{}, true],
    dryrun: [true],
  },
  acceptSession: {
    maxWaitTimeInMs: wrongTimes,
    abortSignal: [{}],
    onUnreadable: ["drop"],
    subQueueType: ["deadLetter"],
  },
  request: { timeoutInMs: wrongTimes, abortSignal: [{}], replyTo: [1], maxReply: [1] },
};

const cases = Object.entries(factories).flatMap(([factory, options]) =>
  Object.entries(options).flatMap(([option, values]) => values.map((value) => [factory, option, value] as const)),
);

describe("an option", () => {
  it.each(cases)("of %s is refused by its name: %s = %o", async (factory, option, value) => {
    const error = await refusal(() => make(factory, option, value));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
    expect(error.message).toContain(option);
  });

  it.each(["createReceiver", "startProcessor", "startSessionProcessor", "startSessionWorkflow", "redrive"])(
    "of %s needs an object around it",
    async (factory) => {
      for (const options of [null, 1, true, []]) {
        expect((await refusal(() => call(factory, options))).path).toBe("$.options");
      }
    },
  );

  it("of prefetching is refused where messages fetched ahead could not be released", async () => {
    const { client } = setup({ queues: ["orders"] });
    const options = { receiveMode: "receiveAndDelete", prefetchCount: 5 } as const;

    const error = await refusal(() => client.createReceiver("orders", options));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.prefetchCount" });
  });
});

describe("subscribing", () => {
  it("refuses the options of its receiver, unknown ones, and prefetching in a session", async () => {
    const { client } = setup({ queues: { orders: {}, talks: { requiresSession: true } } });
    await client.createSender("talks").sendMessages({ body: 1, sessionId: "a" });
    const receiver = client.createReceiver("orders");
    const session = await client.acceptSession("talks", "a");

    expect((await subscribe(receiver, { receiveMode: "receiveAndDelete" })).path).toBe("$.receiveMode");
    expect((await subscribe(receiver, { messageTypes: [] })).path).toBe("$.messageTypes");
    expect((await subscribe(receiver, null)).path).toBe("$.options");
    expect((await subscribe(session, { prefetchCount: 5 })).path).toBe("$.prefetchCount");
  });
});

describe("handlers", () => {
  it.each(["startProcessor", "startSessionProcessor", "startResponder", "startSessionWorkflow"])(
    "of %s must be an object of functions",
    async (factory) => {
      const { client } = setup({ queues: ["orders"] });
      const create = Reflect.get(client, factory);

      for (const wrong of [undefined, null, 1, "x"]) {
        expect((await refusal(() => Reflect.apply(create, client, ["orders", wrong]))).path).toBe("$.handlers");
      }
      expect((await refusal(() => Reflect.apply(create, client, ["orders", {}]))).path).toMatch(/^\$\.process/);
    },
  );
});

describe("an argument of a call", () => {
  const calls: readonly (readonly [string, string, readonly unknown[]])[] = [
    ["sendMessages", "messages", [["x"]]],
    ["sendMessages", "messages", [[1]]],
    ["sendMessages", "messages", [[null]]],
    ["sendMessages", "messages", [[[1]]]],
    ["sendMessages", "messages", [new Set([{ body: 1 }])]],
    ["sendMessages", "messages", [[{ body: 1 }].values()]],
    ["sendMessages", "messages", [Promise.resolve({ body: 1 })]],
    ["sendMessages", "messages", [new Date(0)]],
    ["scheduleMessages", "messages", [new Map(), new Date(0)]],
    ["sendMessages", "brokerProperties.messageType", [{ body: 1, messageType: {} }]],
    ["sendMessages", "brokerProperties.messageType", [{ body: 1, messageType: null }]],
    ["sendMessages", "abortSignal", [{ body: 1 }, { abortSignal: {} }]],
    ["sendEnvelopes", "envelopes", [null]],
    ["sendEnvelopes", "envelopes", [[{ body: 1 }]]],
    ["sendMany", "messages", [null]],
    ["sendMany", "messages", [{ body: 1 }]],
    ["sendMany", "maxConcurrency", [[], { maxConcurrency: 0 }]],
    ["sendMany", "concurrency", [[], { concurrency: 1 }]],
    ["scheduleMessages", "scheduledEnqueueTimeUtc", [{ body: 1 }, "tomorrow"]],
    ["cancelScheduledMessages", "sequenceNumbers", [1]],
    ["cancelScheduledMessages", "sequenceNumbers", [["1"]]],
    ["receiveMessages", "maxMessageCount", [0]],
    ["receiveMessages", "abortSignal", [1, { abortSignal: true }]],
    ["peekMessages", "maxMessageCount", [Number.NaN]],
    ["peekMessages", "fromSequenceNumber", [1, { fromSequenceNumber: 1 }]],
    ["receiveDeferredMessages", "sequenceNumbers", [1]],
    ["deleteMessages", "maxMessageCount", [-1]],
    ["deleteMessages", "beforeEnqueueTime", [1, { beforeEnqueueTime: "now" }]],
    ["request", "message", [null]],
    ["request", "timeoutInMs", [{ body: 1 }, { timeoutInMs: -1 }]],
  ];

  it.each(calls)("is refused by its name: %s(%s)", async (verb, argument, given) => {
    const { client } = setup({ queues: ["orders", "replies"] });
    const ends: readonly object[] = [
      client.createSender("orders"),
      client.createReceiver("orders"),
      client.createRequester("orders", { replyTo: "replies" }),
    ];
    const end = ends.find((candidate) => verb in candidate) ?? client;

    const error = await refusal(() => Reflect.apply(Reflect.get(end, verb), end, given));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${argument}` });
  });

  it("is not a message received by another client: its type is only a name there", async () => {
    const { client } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages({ body: 1 });
    const [message] = await client.createReceiver("orders").receiveMessages(1);

    const sender = client.createSender("orders");
    const again = { ...message, messageType: "acme.order" };

    const error = await refusal(() => Reflect.apply(Reflect.get(sender, "sendMessages"), sender, [again]));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.messages" });
    expect(error.message).toContain("sendEnvelopes(message.envelope)");
  });
});

describe("settling", () => {
  it("refuses an unknown option and invalid properties, and leaves the message", async () => {
    const { client } = setup(queues);
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const messages = await receiver.receiveMessages(1);
    const settle = async (verb: "completeMessage" | "abandonMessage" | "deferMessage", ...given: readonly unknown[]) =>
      refusal(() => Reflect.apply(receiver[verb], receiver, [...messages, ...given]));

    expect((await settle("completeMessage", { transacton: 1 })).path).toBe("$.transacton");
    expect((await settle("abandonMessage", {}, { tx: 1 })).path).toBe("$.tx");
    expect((await settle("abandonMessage", 5)).path).toBe("$.propertiesToModify");
    expect((await settle("deferMessage", [])).path).toBe("$.propertiesToModify");
    for (const message of messages) await receiver.completeMessage(message);
    expect(await receiver.peekMessages(1)).toEqual([]);
  });
});

describe("a call with an option that it does not have, or a wrong one", () => {
  const later = new Date(2_000_000_000_000);
  const calls: Readonly<Record<string, (options: unknown) => readonly [object, string, readonly unknown[]]>> = {
    receiveMessages: (options) => [setup(queues).client.createReceiver("orders"), "receiveMessages", [1, options]],
    peekMessages: (options) => [setup(queues).client.createReceiver("orders"), "peekMessages", [1, options]],
    deleteMessages: (options) => [setup(queues).client.createReceiver("orders"), "deleteMessages", [1, options]],
    sendMessages: (options) => [setup(queues).client.createSender("orders"), "sendMessages", [{ body: 1 }, options]],
    scheduleMessages: (options) => [
      setup(queues).client.createSender("orders"),
      "scheduleMessages",
      [{ body: 1 }, later, options],
    ],
    createMessageBatch: (options) => [setup(queues).client.createSender("orders"), "createMessageBatch", [options]],
  };

  it.each(Object.keys(calls))("%s refuses it by its name", async (name) => {
    const refusedBy = async (options: unknown): Promise<SobreError> => {
      const [end, method, given] = calls[name]?.(options) ?? [{}, "", []];
      return refusal(() => Reflect.apply(Reflect.get(end, method), end, given));
    };

    expect(await refusedBy({ maxWaitTime: 1 })).toMatchObject({ code: "InvalidArgument", path: "$.maxWaitTime" });
    expect(await refusedBy(null)).toMatchObject({ code: "InvalidArgument", path: "$.options" });
  });
});

describe("tracing", () => {
  it.each([null, {}, { trace: {} }, "api"])("wants @opentelemetry/api, and not %o", async (api) => {
    expect((await refusal(() => Reflect.apply(openTelemetry, undefined, [api]))).path).toBe("$.api");
  });
});

const subscribe = async (end: object, options: unknown): Promise<SobreError> =>
  refusal(() => Reflect.apply(Reflect.get(end, "subscribe"), end, [handlers, options]));

function make(factory: string, option: string, value: unknown): unknown {
  const [outer = "", inner] = option.split(".");
  const whole = outer === "subjects" ? { start: "start", content: "content", end: "end" } : {};
  return call(factory, { [outer]: inner === undefined ? value : { ...whole, [inner]: value } });
}

function call(factory: string, options: unknown): unknown {
  const { client, engine } = setup({ queues: { orders: {}, replies: {}, talks: { requiresSession: true } } });
  const serializer = { serialize: () => undefined, deserialize: () => undefined };
  const given = typeof options === "object" && options !== null && !Array.isArray(options) ? options : undefined;
  const replying = { replyTo: "replies", ...given };
  const all: Readonly<Record<string, readonly unknown[]>> = {
    createReceiver: ["orders", options],
    startProcessor: ["orders", handlers, options],
    startSessionProcessor: ["talks", handlers, options],
    createRequester: ["orders", replying],
    startSessionWorkflow: ["talks", { processStep: () => 1, processError: () => undefined }, options],
    redrive: ["orders/$DeadLetterQueue", options],
    acceptSession: ["talks", "one", options],
    request: ["orders", { body: 1 }, replying],
  };
  if (factory === "createClient") return Reflect.apply(createClient, undefined, [{ engine, serializer, ...given }]);
  return Reflect.apply(Reflect.get(client, factory), client, all[factory] ?? []);
}

/** The error that a call throws, or that its promise rejects with. */
async function refusal(act: () => unknown): Promise<SobreError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}
