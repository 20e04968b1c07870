import { type ClientOptions, createClient as createClientOver } from "./client/client.ts";
import type { Client } from "./client/client-interface.ts";
import { checkOption, invalidOption, name } from "./options/option-checks.ts";
import type { Engine } from "./engine/engine.ts";
import { parseConnectionString, serverOf } from "./engines/azure/connection-string.ts";
import { lazyAzureEngine } from "./engines/azure/lazy-engine.ts";

/** Options of {@link createClient} with a connection string instead of an engine. */
export interface ConnectedClientOptions extends Omit<ClientOptions, "engine" | "closeEngine"> {
  /** `Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…`; the client makes the engine, and closes it with itself. */
  readonly connectionString: string;
}

/**
 * Makes a client over an engine, or over the broker of a connection string.
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
  if (typeof options !== "object" || options === null || !("connectionString" in options))
    return createClientOver(options);
  const { connectionString, ...rest } = options;
  if ("engine" in rest) throw invalidOption("connectionString", "is not for a client with an engine; leave one out");
  checkOption("connectionString", connectionString, name);
  const server = serverOf(parseConnectionString(connectionString));
  const load = async (): Promise<Engine> =>
    (await import("./engines/azure/azure-engine.ts")).azureEngine({ connectionString });
  const engine = lazyAzureEngine(load, server);
  return createClientOver({ ...rest, engine, closeEngine: true });
}
