import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";

/** Values of every kind, and objects that are half right. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    "q",
    "t",
    "s",
    "missing",
    1n,
    [1n],
    Symbol("s"),
    () => 5,
    new Date(Number.NaN),
  ),
  fc.constantFrom<unknown>(
    { receiveMode: "peekLock" },
    { maxMessages: 1, maxWaitTimeInMs: 0 },
    { kind: "complete" },
    { filter: { kind: "sql" } },
    [createEnvelope({ payload: new Uint8Array(1) })],
  ),
  fc.anything(),
);

/** Methods that end what the others need, those that wait by their nature, and one that only the engine itself calls. */
const left = new Set(["close", "abort", "constructor", "connect", "add"]);

function methodsOf(target: object): readonly string[] {
  const own = Object.keys(target);
  const inherited: string[] = [];
  for (let prototype: unknown = target; typeof prototype === "object" && prototype !== null;) {
    if (prototype === Object.prototype) break;
    inherited.push(...Object.getOwnPropertyNames(prototype));
    prototype = Object.getPrototypeOf(prototype);
  }
  const names = [...new Set([...own, ...inherited])].filter((name) => !left.has(name));
  return names.filter((name) => typeof Reflect.get(target, name) === "function");
}

/** The error that is not one of ours, if a call throws or rejects with one; waits are not waited for. */
async function foreign(target: object, method: string, given: readonly unknown[]): Promise<unknown> {
  try {
    const call: unknown = Reflect.apply(Reflect.get(target, method), target, given);
    await Promise.race([call, new Promise((resolve) => setImmediate(resolve))]);
    if (call instanceof Promise) call.catch(() => undefined);
    return undefined;
  } catch (error) {
    return error instanceof SobreError ? undefined : error;
  }
}

describe("the memory engine", () => {
  it("answers arguments of every kind with SobreErrors alone", async () => {
    const engine = memoryEngine({
      queues: { q: {}, s: { requiresSession: true } },
      topics: { t: { subscriptions: ["a"] } },
    });
    const session = { sessionId: "x", receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
    const targets: readonly object[] = [
      engine,
      engine.admin,
      await engine.openSender("q"),
      await engine.openReceiver("q", { receiveMode: "peekLock" }),
      await engine.acceptSession("s", session),
      await engine.begin(),
    ];
    const calls = targets.flatMap((target) => methodsOf(target).map((method) => ({ target, method })));

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...calls),
        fc.array(anything, { maxLength: 4 }),
        async ({ target, method }, given) => {
          expect(await foreign(target, method, given)).toBeUndefined();
        },
      ),
      { numRuns: 5000 },
    );
    await engine.close();
  });

  it("finds no lock under anything but a token, whether a message is locked or not", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const settleUnder = (token: unknown): Promise<unknown> =>
      foreign(engine, "settle", ["q", token, { kind: "complete" }]);
    for (const isLocked of [false, true]) {
      if (isLocked) {
        await (await engine.openSender("q")).send([createEnvelope({ payload: new Uint8Array() })]);
        await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
      }

      for (const token of [undefined, null, 7, "", {}]) expect(await settleUnder(token)).toBeUndefined();
    }

    expect(await engine.peek("q", { maxMessages: 9 })).toHaveLength(1);
    await engine.close();
  });

  it("is made of options that are checked, whatever they are", () => {
    const options = fc.record(
      {
        clock: anything,
        queues: anything,
        topics: anything,
        firstSequenceNumber: anything,
        keys: anything,
        other: anything,
      },
      { requiredKeys: [] },
    );

    fc.assert(
      fc.property(fc.oneof(options, anything), (given) => {
        try {
          Reflect.apply(memoryEngine, undefined, [given]);
        } catch (error) {
          expect(error).toBeInstanceOf(SobreError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
