import { describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { engineSuite, runEngineCase } from "../../../src/broker/conformance/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { faultyEngine, sobreMatchers, testEngine, type TestEngine } from "../../../src/client/testing/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";

const envelope = (messageId: string): Envelope =>
  createEnvelope({ payload: new Uint8Array([0x31]), brokerProperties: { contentType: "application/json", messageId } });
const peekLock = { receiveMode: "peekLock" } as const;
const atOnce = { maxMessages: 9, maxWaitTimeInMs: 0 } as const;

describe("the test engine, without faults", () => {
  it("keeps every promise that the memory engine keeps", async () => {
    const outcomes = await Promise.all(
      engineSuite.map((engineCase) =>
        runEngineCase(engineCase, {
          async open() {
            const { engine, clock } = testEngine();
            return { engine, advance: (milliseconds) => clock.advance(milliseconds) };
          },
        }),
      ),
    );

    expect(outcomes.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  });
});

describe("faults", () => {
  it("drop, delay and double what is sent", async () => {
    const { engine, clock, faults } = testEngine({ queues: ["a", "b"] });
    const [toA, toB] = [await engine.openSender("a"), await engine.openSender("b")];
    faults.drop({ entity: "A" });
    faults.delay(1_000, { entity: "a" });
    faults.duplicate({ entity: "a" });

    await toB.send([envelope("other")]);
    for (const id of ["dropped", "delayed", "doubled", "plain"]) await toA.send([envelope(id)]);
    const receiver = await engine.openReceiver("a", peekLock);
    const now = await receiver.receive(atOnce);
    await clock.advance(1_000);
    const later = await receiver.receive(atOnce);

    const ids = [now, later].map((list) => list.map((delivery) => delivery.envelope.brokerProperties.messageId));
    expect(ids).toEqual([["doubled", "doubled", "plain"], ["delayed"]]);
    expect(await engine.peek("b", { maxMessages: 5 })).toHaveLength(1);
  });

  it("delay scheduled messages from their due time on", async () => {
    const { engine, clock, faults } = testEngine({ queues: ["a"] });
    const brokerProperties = { scheduledEnqueueTimeUtc: new Date(clock.now() + 60_000) };
    faults.delay(1_000);

    await (await engine.openSender("a")).send([createEnvelope({ payload: new Uint8Array(), brokerProperties })]);
    const receiver = await engine.openReceiver("a", peekLock);
    await clock.advance(60_999);
    const before = await receiver.receive(atOnce);
    await clock.advance(1);

    expect(before).toEqual([]);
    expect(await receiver.receive(atOnce)).toHaveLength(1);
  });

  it("refuse the operations that were named, as often as asked, and lose answers", async () => {
    const { engine, faults } = testEngine({ queues: ["a"] });
    const sender = await engine.openSender("a");
    faults.refuse("send", "QuotaExceeded", { times: 2 });
    faults.loseAnswer("send");

    const codes = [];
    for (let index = 0; index < 3; index++) codes.push((await rejection(sender.send([envelope("x")]))).code);
    await sender.send([envelope("y")]);

    expect(codes).toEqual(["QuotaExceeded", "QuotaExceeded", "ServiceCommunicationProblem"]);
    expect(await engine.peek("a", { maxMessages: 5 })).toHaveLength(2);
  });

  it("lose a lock as if it had expired", async () => {
    const { engine, faults } = testEngine({ queues: ["a"] });
    await (await engine.openSender("a")).send([envelope("x")]);
    const receiver = await engine.openReceiver("a", peekLock);
    faults.loseLock();

    const [lost] = await receiver.receive(atOnce);
    const [again] = await receiver.receive(atOnce);
    if (lost?.lockToken === undefined) throw new Error("It was locked.");

    expect((await rejection(engine.settle("a", lost.lockToken, { kind: "complete" }))).code).toBe("MessageLockLost");
    expect(again?.deliveryCount).toBe(1);
  });

  it("cut the connection as a network does: what waits is refused, locks run out and count, new links are opened", async () => {
    const { engine, clock, faults } = testEngine({ queues: { a: { lockDuration: 30_000 } } });
    const sender = await engine.openSender("a");
    await sender.send([envelope("x")]);
    const receiver = await engine.openReceiver("a", peekLock);
    await receiver.receive(atOnce);

    const waiting = rejection(receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 }));
    await faults.cut();
    const fresh = await engine.openReceiver("a", peekLock);
    const stillLocked = await fresh.receive(atOnce);
    await clock.advance(30_000);

    expect((await waiting).code).toBe("ServiceCommunicationProblem");
    expect((await rejection(sender.send([envelope("y")]))).code).toBe("ServiceCommunicationProblem");
    expect(stillLocked).toEqual([]);
    expect(await fresh.receive(atOnce)).toMatchObject([{ deliveryCount: 1 }]);
  });

  it.each<readonly [string, (faults: TestEngine["faults"]) => unknown]>([
    ["operation", (faults) => Reflect.apply(Reflect.get(faults, "refuse"), faults, ["sendd", "ServiceBusy"])],
    ["code", (faults) => Reflect.apply(Reflect.get(faults, "refuse"), faults, ["send", "Busy"])],
    ["duration", (faults) => faults.delay(-1)],
    ["times", (faults) => faults.drop({ times: 0 })],
    ["entity", (faults) => Reflect.apply(Reflect.get(faults, "drop"), faults, [{ entity: 1 }])],
    ["queue", (faults) => Reflect.apply(Reflect.get(faults, "drop"), faults, [{ queue: "orders" }])],
    ["options", (faults) => Reflect.apply(Reflect.get(faults, "duplicate"), faults, [3])],
  ])("are refused with a wrong %s, which would never match", (option, ask) => {
    const { faults } = testEngine({ queues: ["orders"] });

    expect(refusal(() => ask(faults))).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
  });

  it("are forgotten when they are cleared, and refused without a number of times", async () => {
    const { engine, faults } = testEngine({ queues: ["a"] });
    faults.refuse("open", "ServiceBusy", { times: Infinity });
    const before = await rejection(engine.openSender("a"));

    faults.clear();

    expect(before.code).toBe("ServiceBusy");
    await expect(engine.openSender("a")).resolves.toBeDefined();
    expect(refusal(() => faults.drop({ times: 0 })).path).toBe("$.times");
  });
});

describe("the matchers", () => {
  it("name dead letters by entity, reason and number", async () => {
    const { engine } = testEngine({ queues: ["a"] });
    await (await engine.openSender("a")).send([envelope("x")]);
    const [delivery] = await (await engine.openReceiver("a", peekLock)).receive(atOnce);
    if (delivery?.lockToken === undefined) throw new Error("It was locked.");
    const none = await sobreMatchers.toHaveDeadLettered(engine, "a");
    await engine.settle("a", delivery.lockToken, { kind: "deadLetter", deadLetterReason: "Broken" });

    const passes = await Promise.all(
      [{}, { reason: "Broken" }, { reason: "Other" }, { count: 1 }, { count: 2 }].map((expected) =>
        sobreMatchers.toHaveDeadLettered(engine, "a", expected),
      ),
    );

    expect(none.pass).toBe(false);
    expect(none.message()).toContain("0 dead letters");
    expect(passes.map(({ pass }) => pass)).toEqual([true, true, false, true, false]);
    expect(passes[2]?.message()).toContain("with the reason Other");
  });

  it.each<readonly [string, readonly unknown[]]>([
    ["reson", ["a", { reson: "Broken" }]],
    ["count", ["a", { count: -1 }]],
    ["reason", ["a", { reason: /Broken/ }]],
    ["options", ["a", null]],
    ["entity", [undefined]],
  ])("refuse a wrong %s, which would match anything or nothing", async (option, given) => {
    const { engine } = testEngine({ queues: ["a"] });

    const error = await rejection(
      Reflect.apply(Reflect.get(sobreMatchers, "toHaveDeadLettered"), sobreMatchers, [engine, ...given]),
    );

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
  });

  it("refuse anything but an engine and a serializer", async () => {
    const ofClient = Reflect.apply(Reflect.get(sobreMatchers, "toHaveDeadLettered"), sobreMatchers, [{}, "a"]);
    const toBeReadableBy = Reflect.get(sobreMatchers, "toBeReadableBy");

    expect((await rejection(ofClient)).message).toContain("must be an engine");
    expect(refusal(() => Reflect.apply(toBeReadableBy, sobreMatchers, [envelope("1")])).path).toBe("$.serializer");
    expect(refusal(() => Reflect.apply(faultyEngine, undefined, [])).path).toBe("$.inner");
  });

  it("say which codec reads an envelope", () => {
    const serializer = createSerializer({ codecs: [json()] });
    const unknown = createEnvelope({ payload: new Uint8Array([1]) });

    expect(sobreMatchers.toBeReadableBy(envelope("x"), serializer).pass).toBe(true);
    expect(sobreMatchers.toBeReadableBy(envelope("x"), serializer, "text").pass).toBe(false);
    expect(sobreMatchers.toBeReadableBy(unknown, serializer).message()).toContain("UnknownContentType");
  });

  it("extend the expect of a test runner", async () => {
    expect.extend(sobreMatchers);
    const { engine } = testEngine({ queues: ["a"] });
    const unreadable = createEnvelope({ payload: new Uint8Array([0xff]) });
    const serializer = createSerializer({ codecs: [json()] });

    await expect(engine).not.toHaveDeadLettered("a");
    expect(envelope("1")).toBeReadableBy(serializer, "json");
    expect(unreadable).not.toBeReadableBy(serializer);
    await expect(expect(engine).toHaveDeadLettered("a")).rejects.toThrow('"a" has 0 dead letters');
  });
});
