import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineKinds, openScene, type Scene } from "./azure-scenario.support.ts";

describe.each(engineKinds)("the official client, with messages of AMQP's own form, on the %s engine", (kind) => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await openScene(kind);
  });

  afterAll(() => scene.close());

  it("sends footers, which it writes in front of the body, alone, in a batch and scheduled", async () => {
    const { client, engine } = await scene.open({ queues: ["q"] });
    const sender = client.createSender("q");
    const message = { body: "b", bodyType: "value" as const, footer: { sum: 7 } };

    await sender.sendMessages(message);
    await sender.sendMessages([{ body: 1 }, message]);
    await sender.scheduleMessages(message, new Date(scene.clock.now() + 1000));
    await scene.clock.advance(1000);
    const receiver = client.createReceiver("q", { receiveMode: "receiveAndDelete" });
    const received = await receiver.receiveMessages(4, { maxWaitTimeInMs: 5000 });

    expect(received.map(({ body }) => body)).toEqual(["b", 1, "b", "b"]);
    expect(received.map(({ _rawAmqpMessage: { footer } }) => footer)).toEqual([
      { sum: 7 },
      undefined,
      { sum: 7 },
      { sum: 7 },
    ]);
    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });
});
