import { once } from "node:events";
import type { ServiceBusClient } from "@azure/service-bus";

/**
 * Calls again after an error, a few times: this client does not retry a connection attempt that the end of its former
 * socket interrupts, as happens when a server is back within milliseconds.
 */
async function calledAgain<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries < 4; tries++) {
    try {
      return await call();
    } catch (error) {
      console.error(`The client gave up after the restart, and is called again: ${String(error)}`);
    }
  }
  return call();
}

/** Prints `ready` when its links are open, and waits for a line: by then the server has started again. */
export async function runRestart(client: ServiceBusClient): Promise<void> {
  const sender = client.createSender("q");
  const receiver = client.createReceiver("q");
  const bodies: string[] = [];
  const exchange = async (body: string): Promise<void> => {
    await calledAgain(() => sender.sendMessages({ body }));
    for (;;) {
      const [message] = await calledAgain(() => receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 }));
      if (message === undefined) continue;
      await receiver.completeMessage(message);
      bodies.push(String(message.body));
      return;
    }
  };
  await exchange("before");
  const session = await client.acceptSession("s", "a");
  await session.setSessionState("state of the session");
  await session.close();
  console.log("ready");
  await once(process.stdin, "data");
  process.stdin.destroy();
  await exchange("after");
  await exchange("later");
  console.log(bodies.join(" "));
  const again = await calledAgain(() => client.acceptSession("s", "a"));
  console.log(String(await again.getSessionState()));
}
