import { rm } from "node:fs/promises";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { selfSignedCertificate, type Server, startServer } from "../../src/serve/server/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";
import { codeOf, engineKinds, engineOfKind } from "./azure-scenario.support.ts";

describe.each(engineKinds)("the official administration client, on the %s engine", (kind) => {
  const before = getCACertificates("default");
  const tls = selfSignedCertificate();
  let directory: string;
  let server: Server;
  let admin: ServiceBusAdministrationClient;

  beforeAll(async () => {
    setDefaultCACertificates([...before, tls.cert]);
    directory = await storeDirectory();
    server = await startServer({ tls, engine: await engineOfKind(kind, join(directory, "main"), {}) });
    admin = new ServiceBusAdministrationClient(server.connectionString);
  });

  afterAll(async () => {
    await server.close();
    await server.engine.close();
    await rm(directory, { recursive: true });
    setDefaultCACertificates(before);
  });

  it("creates a queue with every option and reads it back", async () => {
    const options = {
      lockDuration: "PT30S",
      maxSizeInMegabytes: 2048,
      requiresDuplicateDetection: true,
      requiresSession: true,
      defaultMessageTimeToLive: "P1DT2H",
      deadLetteringOnMessageExpiration: true,
      duplicateDetectionHistoryTimeWindow: "PT1M30S",
      maxDeliveryCount: 7,
      userMetadata: "a <b> & c",
    };

    const created = await admin.createQueue("orders/new", options);
    const read = await admin.getQueue("orders/new");

    expect(created).toMatchObject({ name: "orders/new", ...options });
    expect(read).toMatchObject({ name: "orders/new", ...options });
  });

  it("creates a queue with the defaults", async () => {
    const { lockDuration, defaultMessageTimeToLive, maxDeliveryCount, status } = await admin.createQueue("plain");

    expect({ lockDuration, defaultMessageTimeToLive, maxDeliveryCount, status }).toEqual({
      lockDuration: "PT1M",
      defaultMessageTimeToLive: "P10675199DT2H48M5.4775807S",
      maxDeliveryCount: 10,
      status: "Active",
    });
  });

  it("gets an error when a queue already exists, or is missing", async () => {
    await admin.createQueue("twice");

    const codes = [await codeOf(admin.createQueue("twice")), await codeOf(admin.getQueue("missing"))];

    expect(codes).toEqual(["MessageEntityAlreadyExistsError", "MessageEntityNotFoundError"]);
  });

  it("knows whether entities exist", async () => {
    await admin.createQueue("there");
    await admin.createTopic("topic-there");

    const found = [
      await admin.queueExists("there"),
      await admin.queueExists("not there"),
      await admin.topicExists("not there"),
      await admin.subscriptionExists("not there", "s"),
    ];

    expect(found).toEqual([true, false, false, false]);
  });

  it("updates a queue", async () => {
    const queue = await admin.createQueue("changing");

    await admin.updateQueue({ ...queue, maxDeliveryCount: 3, lockDuration: "PT10S" });

    expect(await admin.getQueue("changing")).toMatchObject({ maxDeliveryCount: 3, lockDuration: "PT10S" });
  });

  it("deletes a queue", async () => {
    await admin.createQueue("gone");

    await admin.deleteQueue("gone");

    expect(await admin.queueExists("gone")).toBe(false);
  });

  it("lists queues page by page", async () => {
    for (let index = 0; index < 5; index++) await admin.createQueue(`page-${index}`);

    const names: string[] = [];
    for await (const page of admin.listQueues().byPage({ maxPageSize: 2 })) {
      expect(page.length).toBeLessThanOrEqual(2);
      for (const { name } of page) names.push(name);
    }

    expect(names.filter((name) => name.startsWith("page-"))).toEqual([0, 1, 2, 3, 4].map((index) => `page-${index}`));
  });

  it("counts messages", async () => {
    await admin.createQueue("counted");
    const client = new ServiceBusClient(server.connectionString);
    await client.createSender("counted").sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = client.createReceiver("counted");
    const [message] = await receiver.receiveMessages(1);
    if (message !== undefined) await receiver.deadLetterMessage(message);
    await client.close();

    const counts = await admin.getQueueRuntimeProperties("counted");

    expect(counts).toMatchObject({ totalMessageCount: 2, activeMessageCount: 1, deadLetterMessageCount: 1 });
  });

  it("forwards from one queue to another", async () => {
    await admin.createQueue("last");

    const queue = await admin.createQueue("first", { forwardTo: "last" });

    expect((await server.engine.admin.getQueue("first")).forwardTo).toBe("last");
    expect(queue.forwardTo).toContain("last");
  });

  it("creates, reads, updates, lists and deletes topics", async () => {
    const topic = await admin.createTopic("news", { userMetadata: "one" });

    await admin.updateTopic({ ...topic, userMetadata: "two" });
    const read = await admin.getTopic("news");
    const names: string[] = [];
    for await (const { name } of admin.listTopics()) names.push(name);
    await admin.deleteTopic("news");

    expect(read.userMetadata).toBe("two");
    expect(names).toContain("news");
    expect(await admin.topicExists("news")).toBe(false);
  });

  it("creates, reads, updates, lists and deletes subscriptions", async () => {
    await admin.createTopic("t");
    const subscription = await admin.createSubscription("t", "s", { maxDeliveryCount: 4, requiresSession: true });

    await admin.updateSubscription({ ...subscription, maxDeliveryCount: 5 });
    const read = await admin.getSubscription("t", "s");
    const names: string[] = [];
    for await (const { subscriptionName } of admin.listSubscriptions("t")) names.push(subscriptionName);
    await admin.deleteSubscription("t", "s");

    expect(read).toMatchObject({ topicName: "t", subscriptionName: "s", maxDeliveryCount: 5, requiresSession: true });
    expect(names).toEqual(["s"]);
    expect(await admin.subscriptionExists("t", "s")).toBe(false);
  });

  it("creates a subscription with its first rule", async () => {
    await admin.createTopic("ruled");

    await admin.createSubscription("ruled", "s", {
      defaultRuleOptions: { name: "first", filter: { sqlExpression: "a = 1" } },
    });

    const [rule, ...others] = await server.engine.admin.listRules("ruled", "s");
    expect(rule).toMatchObject({ name: "first", filter: { kind: "sql", expression: "a = 1" } });
    expect(others).toEqual([]);
  });

  it("creates, reads, lists and deletes rules of both kinds", async () => {
    await admin.createTopic("filtered");
    await admin.createSubscription("filtered", "s");
    const correlation = { subject: "x", correlationId: "c", applicationProperties: { k: "v", n: 1, b: true } };

    await admin.createRule("filtered", "s", "sql", { sqlExpression: "a > 1" }, { sqlExpression: "SET b = 2" });
    await admin.createRule("filtered", "s", "correlation", correlation);
    const names: string[] = [];
    for await (const { name } of admin.listRules("filtered", "s")) names.push(name);
    const sql = await admin.getRule("filtered", "s", "sql");
    const other = await admin.getRule("filtered", "s", "correlation");
    await admin.deleteRule("filtered", "s", "sql");

    expect(names).toEqual(["$Default", "correlation", "sql"]);
    expect(sql).toMatchObject({ filter: { sqlExpression: "a > 1" }, action: { sqlExpression: "SET b = 2" } });
    expect(other.filter).toMatchObject(correlation);
    expect(await admin.ruleExists("filtered", "s", "sql")).toBe(false);
  });

  it("updates a rule", async () => {
    await admin.createTopic("changed");
    await admin.createSubscription("changed", "s");
    const rule = await admin.getRule("changed", "s", "$Default");

    await admin.updateRule("changed", "s", { ...rule, filter: { sqlExpression: "a = 2" } });

    expect((await admin.getRule("changed", "s", "$Default")).filter).toMatchObject({ sqlExpression: "a = 2" });
  });

  it("keeps a rule whose update is refused", async () => {
    await admin.createTopic("kept");
    await admin.createSubscription("kept", "s", {
      defaultRuleOptions: { name: "r", filter: { sqlExpression: "a = 1" } },
    });
    const rule = await admin.getRule("kept", "s", "r");

    const refused = await codeOf(admin.updateRule("kept", "s", { ...rule, filter: { sqlExpression: "a ==== 1" } }));

    expect(refused).toBe("ServiceError");
    expect((await admin.getRule("kept", "s", "r")).filter).toMatchObject({ sqlExpression: "a = 1" });
  });

  it("resets what an update leaves out", async () => {
    await admin.createQueue("target");
    const queue = await admin.createQueue("forwarding", {
      forwardTo: "target",
      userMetadata: "a",
      maxDeliveryCount: 3,
    });

    const { forwardTo, ...others } = queue;
    const updated = await admin.updateQueue({ ...others, userMetadata: "" });

    expect(forwardTo).toBe("target");
    expect(updated).toMatchObject({ forwardTo: undefined, userMetadata: undefined, maxDeliveryCount: 3 });
  });

  it("reads what topics hold, and when entities were made, changed and used, in the time of the broker", async () => {
    const clock = new ManualClock();
    const engine = await engineOfKind(kind, join(directory, "timed"), { clock });
    await using timed = await startServer({ tls, clock, engine });
    const timedAdmin = new ServiceBusAdministrationClient(timed.connectionString);
    await timedAdmin.createTopic("t");
    await timedAdmin.createSubscription("t", "s");
    const queue = await timedAdmin.createQueue("q");
    const start = clock.now();

    await clock.advance(1000);
    await timed.engine.schedule("t", [
      createEnvelope({
        payload: Uint8Array.of(1),
        brokerProperties: { scheduledEnqueueTimeUtc: new Date(start + 9000) },
      }),
    ]);
    await timedAdmin.updateQueue({ ...queue, maxDeliveryCount: 3 });
    await clock.advance(1000);
    const runtime = await timedAdmin.getTopicRuntimeProperties("t");
    const { createdAt, modifiedAt } = await timedAdmin.getQueueRuntimeProperties("q");

    expect(runtime).toMatchObject({ subscriptionCount: 1, scheduledMessageCount: 1 });
    expect(runtime.sizeInBytes).toBeGreaterThan(0);
    expect(
      [runtime.createdAt, runtime.accessedAt, createdAt, modifiedAt].map((time) => time.getTime() - start),
    ).toEqual([0, 1000, 0, 1000]);
  });

  it("reads the namespace", async () => {
    expect((await admin.getNamespaceProperties()).messagingSku).toBe("Standard");
  });

  it("is refused with a wrong key", async () => {
    const wrong = new ServiceBusAdministrationClient(server.connectionString.replace("SAS_KEY_VALUE", "wrong"));

    expect(await codeOf(wrong.getQueue("plain"))).toBe("UnauthorizedRequestError");
  });
});
