import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, engineKinds, isEmpty, next, openScene, type Scene } from "./azure-scenario.support.ts";

describe.each(engineKinds)("the official client, with topics, on the %s engine", (kind) => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await openScene(kind);
  });

  afterAll(() => scene.close());

  it("sends to a topic, and every subscription has a copy", async () => {
    const { client } = await scene.open({ topics: { t: { subscriptions: ["one", "two"] } } });

    await client.createSender("t").sendMessages({ body: 1 });

    expect((await next(client.createReceiver("t", "one"))).body).toBe(1);
    expect((await next(client.createReceiver("t", "two"))).body).toBe(1);
  });

  it("dead-letters on a subscription", async () => {
    const { client } = await scene.open({ topics: { t: { subscriptions: ["s"] } } });
    const receiver = client.createReceiver("t", "s");
    await client.createSender("t").sendMessages({ body: 1 });

    await receiver.deadLetterMessage(await next(receiver), { deadLetterReason: "r", deadLetterErrorDescription: "d" });

    const dead = client.createReceiver("t", "s", { subQueueType: "deadLetter" });
    expect((await next(dead)).deadLetterReason).toBe("r");
  });

  it("schedules to a topic", async () => {
    const { client } = await scene.open({ topics: { t: { subscriptions: ["s"] } } });

    await client.createSender("t").scheduleMessages({ body: 1 }, new Date(scene.clock.now() + 1000));
    const before = await isEmpty(client.createReceiver("t", "s"));
    await scene.clock.advance(1000);

    expect(before).toBe(true);
    expect((await next(client.createReceiver("t", "s"))).body).toBe(1);
  });

  it("gets an error when the topic or subscription is missing", async () => {
    const { client } = await scene.open({ topics: { t: {} } });

    const codes = [
      await codeOf(client.createReceiver("t", "missing").receiveMessages(1)),
      await codeOf(client.createSender("missing").sendMessages({ body: 1 })),
    ];

    expect(codes).toEqual(["MessagingEntityNotFound", "MessagingEntityNotFound"]);
  });

  it("accepts a session of a subscription", async () => {
    const { client } = await scene.open({ topics: { t: { subscriptions: { s: { requiresSession: true } } } } });
    await client.createSender("t").sendMessages({ body: 1, sessionId: "a" });

    const session = await client.acceptNextSession("t", "s");

    expect((await next(session)).body).toBe(1);
  });

  it("lists the default rule, and deletes it", async () => {
    const { client } = await scene.open({ topics: { t: { subscriptions: ["s"] } } });
    const rules = client.createRuleManager("t", "s");

    const names: string[] = [];
    for await (const { name } of rules.listRules()) names.push(name);
    await rules.deleteRule("$Default");
    await client.createSender("t").sendMessages({ body: 1 });

    expect(names).toEqual(["$Default"]);
    expect(await isEmpty(client.createReceiver("t", "s"))).toBe(true);
  });

  it("filters with SQL, and changes what passes with an action", async () => {
    const { client } = await scene.open({ topics: { t: { subscriptions: ["s"] } } });
    const rules = client.createRuleManager("t", "s");
    await rules.deleteRule("$Default");
    await rules.createRule("cheap", { sqlExpression: "price < 10" }, { sqlExpression: "SET seen = TRUE" });

    await client.createSender("t").sendMessages([
      { body: 1, applicationProperties: { price: 20 } },
      { body: 2, applicationProperties: { price: 5 } },
    ]);
    const message = await next(client.createReceiver("t", "s"));

    expect([message.body, message.applicationProperties]).toEqual([2, { price: 5, seen: true }]);
  });

  it("filters by correlation", async () => {
    const { client } = await scene.open({ topics: { t: { subscriptions: ["s"] } } });
    const rules = client.createRuleManager("t", "s");
    await rules.deleteRule("$Default");
    await rules.createRule("red", { subject: "red", applicationProperties: { size: 1 } });

    await client.createSender("t").sendMessages([
      { body: 1, subject: "blue", applicationProperties: { size: 1 } },
      { body: 2, subject: "red", applicationProperties: { size: 2 } },
      { body: 3, subject: "red", applicationProperties: { size: 1 } },
    ]);

    expect((await next(client.createReceiver("t", "s"))).body).toBe(3);
  });

  it("reads rules back as they were created", async () => {
    const { client } = await scene.open({ topics: { t: { subscriptions: ["s"] } } });
    const rules = client.createRuleManager("t", "s");
    await rules.createRule("sql", { sqlExpression: "a = 1" }, { sqlExpression: "SET b = 2" });
    await rules.createRule("correlation", { subject: "x", messageId: "m", applicationProperties: { k: "v" } });
    await rules.createRule("plain", { correlationId: "c" });

    const listed: unknown[] = [];
    for await (const rule of rules.listRules()) listed.push(rule);

    expect(listed).toMatchObject([
      { name: "$Default", filter: { sqlExpression: "1=1" } },
      { name: "correlation", filter: { subject: "x", messageId: "m", applicationProperties: { k: "v" } } },
      { name: "plain", filter: { correlationId: "c", applicationProperties: undefined } },
      { name: "sql", filter: { sqlExpression: "a = 1" }, action: { sqlExpression: "SET b = 2" } },
    ]);
  });

  it("gets an error when a rule already exists, is missing or is invalid", async () => {
    const { client } = await scene.open({ topics: { t: { subscriptions: ["s"] } } });
    const rules = client.createRuleManager("t", "s");
    await rules.createRule("r", { sqlExpression: "a = 1" });

    const codes = [
      await codeOf(rules.createRule("r", { sqlExpression: "a = 1" })),
      await codeOf(rules.deleteRule("missing")),
      await codeOf(rules.createRule("wrong", { sqlExpression: "a = = 1" })),
    ];

    expect(codes).toEqual(["MessagingEntityAlreadyExists", "MessagingEntityNotFound", "GeneralError"]);
  });
});
