import {
  ServiceBusClient,
  type ServiceBusClientOptions,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import type { MemoryEngineOptions } from "../../src/engines/memory/index.ts";
import { type Server, type ServedNamespace, startServer } from "../../src/server/index.ts";
import { ManualClock } from "../../src/time/index.ts";

/** A server of whose namespaces each scenario has one of its own, and a clock that only tests move. */
export interface Scene {
  readonly clock: ManualClock;
  readonly server: Server;
  /** A namespace with these entities and a client of it. */
  open(entities: Omit<MemoryEngineOptions, "clock">): ServedNamespace & { readonly client: ServiceBusClient };
  /** Another client of a namespace. */
  connect(connectionString: string): ServiceBusClient;
  close(): Promise<void>;
}

/** The official client as it comes, but for retries, which would only hide what goes wrong. */
const options: ServiceBusClientOptions = { retryOptions: { maxRetries: 0, timeoutInMs: 10_000 } };

export async function openScene(): Promise<Scene> {
  const clock = new ManualClock();
  const server = await startServer({ clock });
  const clients: ServiceBusClient[] = [];
  let names = 0;
  const connect = (connectionString: string): ServiceBusClient => {
    const client = new ServiceBusClient(connectionString, options);
    clients.push(client);
    return client;
  };
  return {
    clock,
    server,
    connect,
    open(entities) {
      const namespace = server.namespace(`scenario-${++names}`, entities);
      return { ...namespace, client: connect(namespace.connectionString) };
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await server.close();
    },
  };
}

/** The next message, which is there already. */
export async function next(receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage> {
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
  if (message === undefined) throw new Error("No message came.");
  return message;
}

/** Whether no message is there to be received. */
export async function isEmpty(receiver: ServiceBusReceiver): Promise<boolean> {
  return (await receiver.receiveMessages(1, { maxWaitTimeInMs: 30 })).length === 0;
}

/** The code of what a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
  return "no error";
}
