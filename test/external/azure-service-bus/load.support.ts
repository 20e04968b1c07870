import type { ServiceBusClient, ServiceBusReceivedMessage } from "@azure/service-bus";

/** Sends messages of 1 KiB one by one and as many in batches, receives all of them, and completes each. */
export async function runLoad(client: ServiceBusClient, queue: string, count: number): Promise<void> {
  const sender = client.createSender(queue);
  const message = {
    body: Buffer.alloc(1024),
    contentType: "application/octet-stream",
    applicationProperties: { region: "eu", total: 228.49 },
  };
  for (let sent = 0; sent < count / 2; sent++) await sender.sendMessages(message);
  for (let sent = 0; sent < count / 2; sent += 50) await sender.sendMessages(Array.from({ length: 50 }, () => message));
  const receiver = client.createReceiver(queue);
  for (let left = count; left > 0;) {
    const messages: readonly ServiceBusReceivedMessage[] = await receiver.receiveMessages(Math.min(left, 50));
    for (const one of messages) await receiver.completeMessage(one);
    left -= messages.length;
  }
}
