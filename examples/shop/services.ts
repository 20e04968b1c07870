// Three services: each notes its work in its own database and sends the next one a message, always under the same id.
// A service may end at any point: its message is delivered again, its work is not done twice, and its next message is sent
// again, which the inbox of the next service drops.
import type { Client, MessageType, Processor, ReadMessage, Sender } from "sobre";
import { openInbox } from "./inbox.ts";
import { OrderPlaced, OrderShipped, PaymentTaken } from "./messages.ts";

export interface Service {
  /** Resolves when the message in hand is settled. */
  close(): Promise<void>;
}

interface Step<Type extends MessageType> {
  readonly from: string;
  readonly type: Type;
  readonly to: string;
  /** The table in which the service notes an order. */
  readonly table: string;
  readonly next: (order: { readonly orderId: string; readonly cents: number }) => Parameters<Sender["sendMessages"]>[0];
}

type OrderType = typeof OrderPlaced | typeof PaymentTaken;

function startService<Type extends OrderType>(client: Client, file: string, step: Step<Type>): Service {
  const { from, type, to, table, next } = step;
  const inbox = openInbox(
    file,
    `CREATE TABLE IF NOT EXISTS ${table} (order_id TEXT NOT NULL, cents INTEGER NOT NULL) STRICT;`,
  );
  const sender = client.createSender(to);
  const processor: Processor = client.startProcessor(
    from,
    {
      async processMessage({ body, messageId }: ReadMessage<readonly [OrderType]>) {
        const { orderId, cents } = body;
        inbox.once(String(messageId), (database) => {
          database.prepare(`INSERT INTO ${table} (order_id, cents) VALUES (?, ?)`).run(orderId, cents);
        });
        // Also when the message was redelivered: the answer to the first send may have been lost.
        await sender.sendMessages(next(body));
      },
      processError: ({ errorSource, code }) => console.error(`${table}: ${errorSource} ${code}`),
    },
    { messageTypes: [type], maxConcurrentCalls: 4 },
  );
  return {
    async close() {
      await processor.close();
      inbox.close();
    },
  };
}

export const services = {
  orders: (client: Client, file: string): Service =>
    startService(client, file, {
      from: "orders",
      type: OrderPlaced,
      to: "payments",
      table: "accepted",
      next: (order) => OrderPlaced.message(order, { messageId: `accepted-${order.orderId}` }),
    }),
  payments: (client: Client, file: string): Service =>
    startService(client, file, {
      from: "payments",
      type: OrderPlaced,
      to: "shipping",
      table: "paid",
      next: (order) => PaymentTaken.message(order, { messageId: `paid-${order.orderId}` }),
    }),
  shipping: (client: Client, file: string): Service =>
    startService(client, file, {
      from: "shipping",
      type: PaymentTaken,
      to: "shipped",
      table: "shipped",
      next: (order) => OrderShipped.message(order, { messageId: `shipped-${order.orderId}` }),
    }),
} as const;

export type ServiceName = keyof typeof services;
