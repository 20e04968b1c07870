import { describe, expect, it } from "vitest";
import { rejection } from "../../refusal.support.ts";
import { setup } from "./setup.support.ts";

describe("a transaction of the client", () => {
  it("settles what was fetched ahead in a transaction of the client", async () => {
    const { client } = setup({ queues: ["orders", "done"] });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = client.createReceiver("orders", { prefetchCount: 2 });
    const [first, second] = [...(await receiver.receiveMessages(1)), ...(await receiver.receiveMessages(1))];
    if (first === undefined || second === undefined) throw new Error("two were sent");
    const undone = await client.beginTransaction();
    const kept = await client.beginTransaction();

    await receiver.completeMessage(first, { transaction: undone });
    await receiver.completeMessage(second, { transaction: kept });
    await client.createSender("done").sendMessages({ body: "done" }, { transaction: kept });
    await undone.rollback();
    await kept.commit();
    await receiver.abandonMessage(first);

    expect(await client.createReceiver("orders").peekMessages(5)).toMatchObject([{ body: 1 }]);
    expect(await client.createReceiver("done").peekMessages(5)).toMatchObject([{ body: "done" }]);
  });

  it("sends in a transaction again after its link was lost", async () => {
    const { client, faults } = setup({ queues: ["orders"] });
    const sender = client.createSender("orders");
    await sender.sendMessages({ body: 1 });
    await faults.cut();

    const lost = await rejection(sender.sendMessages({ body: 2 }, { transaction: await client.beginTransaction() }));
    const transaction = await client.beginTransaction();
    await sender.sendMessages({ body: 3 }, { transaction });
    await transaction.commit();

    expect(lost.code).toBe("ServiceCommunicationProblem");
    expect((await client.createReceiver("orders").peekMessages(5)).map(({ body }) => body)).toEqual([1, 3]);
  });
});
