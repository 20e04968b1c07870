import { describe, expect, it } from "vitest";
import { accepted, ReceivingLink } from "../../../src/wire/amqp/connection/index.ts";
import { azureEngine } from "../../../src/broker/azure/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { open, ScriptedBroker } from "./frames.support.ts";

const connectionString =
  "Endpoint=sb://broker.test:5999;SharedAccessKeyName=name;SharedAccessKey=key;UseDevelopmentEmulator=true";
const message = createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId: "a" } });

describe("the end of a transaction over AMQP", () => {
  it.each(["commit", "rollback"] as const)("by %s waits for a message that has no credit yet", async (end) => {
    const broker = new ScriptedBroker();
    const arrived: string[] = [];
    const senders: ReceivingLink[] = [];
    const transactionId = Uint8Array.of(1);
    broker.onLink = (link) => {
      if (!(link instanceof ReceivingLink)) return open(link, () => undefined);
      if (link.remote?.target?.kind === "coordinator") {
        open(link, ({ id }) => {
          const isFirst = arrived.push("request to the coordinator") === 1;
          link.settle(id, isFirst ? { kind: "declared", transactionId } : accepted);
        });
        return;
      }
      senders.push(link);
      link.open(
        { source: link.remote?.source, target: link.remote?.target },
        {
          delivered: ({ id }) => {
            arrived.push("message");
            link.settle(id, { kind: "transactional", transactionId, outcome: accepted });
          },
          detached: () => undefined,
        },
      );
    };
    const engine = azureEngine({ connectionString, transport: broker.transport });
    const sender = await engine.openSender("orders");
    const transaction = await engine.begin();

    const sending = sender.send([message], { transaction });
    const ending = transaction[end]();
    // It goes to the broker and back, behind whatever was sent.
    await engine.openReceiver("orders", { receiveMode: "peekLock" }).catch(() => undefined);
    senders[0]?.grant(1);
    await Promise.all([sending, ending]);

    expect(arrived).toEqual(["request to the coordinator", "message", "request to the coordinator"]);
    await engine.close();
  });
});
