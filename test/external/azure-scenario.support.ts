import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  ServiceBusClient,
  type ServiceBusClientOptions,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import type { Engine } from "../../src/core/engine/index.ts";
import { durableEngine } from "../../src/broker/durable/index.ts";
import { memoryEngine, type MemoryEngineOptions } from "../../src/broker/memory/index.ts";
import { type Server, type ServedNamespace, startServer } from "../../src/serve/server/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";

/** The engines that serve every scenario. */
export const engineKinds = ["memory", "durable"] as const;
type EngineKind = (typeof engineKinds)[number];

/** An engine; a durable one reads every message from its directory. */
export async function engineOfKind(kind: EngineKind, directory: string, options: MemoryEngineOptions): Promise<Engine> {
  return kind === "memory" ? memoryEngine(options) : durableEngine({ directory, memoryBudget: 0, ...options });
}

/** A server of whose namespaces each scenario has one of its own, and a clock that only tests move. */
export interface Scene {
  readonly clock: ManualClock;
  readonly server: Server;
  /** A namespace with these entities and a client of it. */
  open(entities: Omit<MemoryEngineOptions, "clock">): Promise<ServedNamespace & { readonly client: ServiceBusClient }>;
  /** Another client of a namespace. */
  connect(connectionString: string): ServiceBusClient;
  close(): Promise<void>;
}

/** The official client as it comes, except for retries, which would only hide what goes wrong. */
const options: ServiceBusClientOptions = { retryOptions: { maxRetries: 0, timeoutInMs: 10_000 } };

export async function openScene(kind: EngineKind): Promise<Scene> {
  const clock = new ManualClock();
  const directory = await storeDirectory();
  const engines: Engine[] = [];
  const engineOf = async (name: string, entities: MemoryEngineOptions): Promise<Engine> => {
    const engine = await engineOfKind(kind, join(directory, name), { clock, ...entities });
    engines.push(engine);
    return engine;
  };
  const server = await startServer({ engine: await engineOf("main", {}), clock });
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
    async open(entities) {
      const name = `scenario-${++names}`;
      const namespace = server.namespace(name, { engine: await engineOf(name, entities) });
      return { ...namespace, client: connect(namespace.connectionString) };
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await server.close();
      await Promise.all(engines.map((engine) => engine.close()));
      await rm(directory, { recursive: true });
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
