import { type ClientOptions, createClient as createClientOver } from "./client/client.ts";
import type { Client } from "./client/client-interface.ts";
import { invalidOption } from "../core/options/option-checks.ts";
import { isObject } from "../core/values/plain-object.ts";
import type { Engine } from "../core/engine/engine.ts";
import { type AzureNamespace, namespaceOf } from "../broker/azure/azure-namespace.ts";
import { serverOf } from "../broker/azure/connection-string.ts";
import { lazyAzureEngine } from "../broker/azure/lazy-engine.ts";

/**
 * Options of {@link createClient} with a connection string, or with a host and a credential, instead of an engine; the
 * client makes the engine, and closes it with itself.
 */
export type ConnectedClientOptions = Omit<ClientOptions, "engine" | "closeEngine"> & AzureNamespace;

/**
 * Makes a client over an engine, or over the broker of a connection string, or of a host and a credential.
 *
 * @example
 * ```ts
 * import { createClient, createSerializer, json, memoryEngine } from "sobre";
 *
 * const engine = memoryEngine({ queues: ["orders"] });
 * const client = createClient({ engine, closeEngine: true, serializer: createSerializer({ codecs: [json()] }) });
 * await client.createSender("orders").sendMessages({ body: { id: 1 } });
 * const [message] = await client.createReceiver("orders").receiveMessages(1);
 * console.log(message?.body);
 * await client.close();
 * ```
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function createClient(options: ClientOptions | ConnectedClientOptions): Client {
  if (!namesNamespace(options)) return createClientOver(options);
  const { connectionString, fullyQualifiedNamespace, credential, ...rest } = options;
  if ("engine" in rest) throw invalidOption("engine", "is not for a client that makes its own; leave one of them out");
  const namespace: AzureNamespace =
    credential === undefined && fullyQualifiedNamespace === undefined
      ? { connectionString }
      : { connectionString, fullyQualifiedNamespace, credential };
  const server = serverOf(namespaceOf(namespace).settings);
  const load = async (): Promise<Engine> => (await import("../broker/azure/azure-engine.ts")).azureEngine(namespace);
  const engine = lazyAzureEngine(load, server);
  return createClientOver({ ...rest, engine, closeEngine: true });
}

const namesNamespace = (options: ClientOptions | ConnectedClientOptions): options is ConnectedClientOptions =>
  isObject(options) && ("connectionString" in options || "fullyQualifiedNamespace" in options);
