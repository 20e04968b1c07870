import { describe, expect, it, vi } from "vitest";
import {
  idempotent,
  memoryInbox,
  type ReceivedMessage,
  workflowOutOfOrder,
  type WorkflowStep,
} from "../../../src/client/client/index.ts";
import { setup, type Setup } from "./setup.support.ts";

const queues = { steps: { requiresSession: true, maxDeliveryCount: 3 }, orders: {} };

interface Sum {
  readonly sum: number;
}

type Step = WorkflowStep<Sum, ReceivedMessage>;
const add = ({ state, message }: Step): Sum => ({ sum: (state?.sum ?? 0) + Number(message.body) });

async function send({ client }: Setup, subjects: readonly string[]): Promise<void> {
  const messages = subjects.map((subject, index) => ({ body: index + 1, subject, sessionId: "a" }));
  await client.createSender("steps").sendMessages(messages);
}

async function settle({ clock }: Setup): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await clock.advance(0);
}

describe("a session workflow", () => {
  it("takes the steps in order with state and position, and clears the state at its end", async () => {
    const all = setup({ queues });
    const steps: unknown[] = [];
    const processStep = (step: Step): Sum => {
      steps.push([step.kind, step.state, step.position]);
      return add(step);
    };
    await send(all, ["start", "content", "end"]);

    const workflow = all.client.startSessionWorkflow<Sum>("steps", { processStep, processError: vi.fn() });
    await settle(all);
    await workflow.close();
    const session = await all.client.acceptSession("steps", "a");

    expect(steps).toEqual([
      ["start", undefined, 0n],
      ["content", { sum: 1 }, 1n],
      ["end", { sum: 3 }, 2n],
    ]);
    expect(await session.getSessionState()).toBeUndefined();
    expect(await session.receiveMessages(1, { maxWaitTimeInMs: 0 })).toEqual([]);
  });

  it("keeps what JSON lacks in its state: bigints, dates, bytes and maps come back as they were", async () => {
    const all = setup({ queues });
    const kept = {
      deferred: [9_007_199_254_740_993n],
      at: new Date(5),
      bytes: new Uint8Array([1]),
      byId: new Map([["a", 1]]),
      $tag: "mine",
    };
    const states: unknown[] = [];
    const processStep = ({ state }: WorkflowStep<typeof kept, ReceivedMessage>): typeof kept => {
      states.push(state);
      return kept;
    };
    await send(all, ["start", "content"]);

    all.client.startSessionWorkflow("steps", { processStep, processError: vi.fn() });
    await settle(all);

    expect(states).toEqual([undefined, kept]);
  });

  it("fails a step whose state has no form to be kept in, instead of keeping less", async () => {
    const all = setup({ queues });
    const processError = vi.fn();
    await send(all, ["start"]);

    all.client.startSessionWorkflow("steps", { processStep: () => ({ lock: () => 1 }), processError });
    await settle(all);

    expect(processError).toHaveBeenCalledWith(expect.objectContaining({ code: "UnsupportedValue" }));
  });

  it("is continued by another process", async () => {
    const all = setup({ queues });
    const states: unknown[] = [];
    await send(all, ["start", "content"]);
    const first = all.client.startSessionWorkflow<Sum>("steps", { processStep: add, processError: vi.fn() });
    await settle(all);
    await first.close();
    await send(all, ["end"]);

    all.client.startSessionWorkflow<Sum>("steps", {
      processStep: (step) => {
        states.push(step.state);
        return add(step);
      },
      processError: vi.fn(),
    });
    await settle(all);

    expect(states).toEqual([{ sum: 3 }]);
  });

  it.each([["start"], ["start", "content"], ["start", "content", "end"]])(
    "takes no step twice when completing fails after %s",
    async (...subjects) => {
      const all = setup({ queues });
      const processStep = vi.fn(add);
      await send(all, subjects);
      all.faults.refuse("settle", "ServiceCommunicationProblem", { times: subjects.length });

      all.client.startSessionWorkflow<Sum>(
        "steps",
        { processStep, processError: vi.fn() },
        { sessionIdleTimeout: 1_000 },
      );
      await settle(all);
      for (let round = 0; round < 10; round++) await all.clock.advance(40_000);

      expect(processStep).toHaveBeenCalledTimes(subjects.length);
      expect(await all.client.createReceiver("steps").peekMessages(5)).toEqual([]);
      expect(await all.client.createReceiver("steps/$DeadLetterQueue").peekMessages(5)).toEqual([]);
    },
  );

  it("takes a step again that failed, with the state before it", async () => {
    const all = setup({ queues });
    const states: unknown[] = [];
    const processStep = (step: Step): Sum => {
      states.push(step.state);
      if (states.length === 2) throw new Error("later");
      return add(step);
    };
    await send(all, ["start", "content"]);

    all.client.startSessionWorkflow<Sum>("steps", { processStep, processError: vi.fn() });
    await settle(all);

    expect(states).toEqual([undefined, { sum: 1 }, { sum: 1 }]);
  });

  it.each([[["content"]], [["start", "start"]], [["end"]], [["start", "pause"]], [["start", "end", "content"]]])(
    "dead-letters what comes out of order: %j",
    async (subjects) => {
      const all = setup({ queues });
      await send(all, subjects);

      all.client.startSessionWorkflow<Sum>("steps", { processStep: add, processError: vi.fn() });
      await settle(all);

      expect(await all.client.createReceiver("steps/$DeadLetterQueue").peekMessages(5)).toMatchObject([
        { deadLetterReason: workflowOutOfOrder, body: subjects.length },
      ]);
    },
  );

  it("reads its own subjects, and leaves alone a state that is not its own", async () => {
    const all = setup({ queues });
    const processError = vi.fn();
    const session = await all.client.acceptSession("steps", "a");
    await session.setSessionState(new Uint8Array([1, 2]));
    await session.close();
    await send(all, ["open"]);

    const subjects = { start: "open", content: "add", end: "close" };
    all.client.startSessionWorkflow<Sum>("steps", { processStep: add, processError }, { subjects });
    await settle(all);

    expect(processError).toHaveBeenCalledWith(
      expect.objectContaining({ errorSource: "handler", code: "DecodeFailed" }),
    );
  });
});

describe("an idempotent handler", () => {
  it("runs once, though completing failed and the message came again", async () => {
    const all = setup({ queues });
    const handler = vi.fn();
    all.faults.loseLock({ times: 2 });
    all.client.startProcessor("orders", {
      processMessage: idempotent(memoryInbox(), handler),
      processError: vi.fn(),
    });

    await all.client.createSender("orders").sendMessages([{ body: 1, messageId: "a" }, { body: 2 }]);
    await settle(all);

    expect(handler).toHaveBeenCalledTimes(2);
    expect(await all.client.createReceiver("orders").peekMessages(5)).toEqual([]);
  });

  it("runs again when it failed, and lets overlapping deliveries wait for the first", async () => {
    const all = setup({ queues });
    let finish: (() => void) | undefined;
    const handler = vi.fn(async () => {
      if (handler.mock.calls.length === 1) throw new Error("first");
      await new Promise<void>((resolve) => (finish = resolve));
    });
    all.client.startProcessor(
      "orders",
      { processMessage: idempotent(memoryInbox(), handler), processError: vi.fn() },
      { maxConcurrentCalls: 2 },
    );

    await all.client.createSender("orders").sendMessages([
      { body: 1, messageId: "a" },
      { body: 1, messageId: "a" },
    ]);
    await settle(all);
    finish?.();
    await settle(all);

    expect(handler).toHaveBeenCalledTimes(2);
  });
});
