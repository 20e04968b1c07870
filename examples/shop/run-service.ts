// One service in its own process: node examples/shop/run-service.ts payments payments.db
import { createClient, createSerializer, json } from "sobre";
import { services, type ServiceName } from "./services.ts";

const [name, file = ":memory:"] = process.argv.slice(2);
const isService = (given: string | undefined): given is ServiceName =>
  given !== undefined && Object.hasOwn(services, given);
if (!isService(name)) throw new Error(`Unknown service. Expected one of: ${Object.keys(services).join(", ")}.`);

const client = createClient({
  connectionString: process.env["SERVICEBUS_CONNECTION_STRING"] ?? "",
  serializer: createSerializer({ codecs: [json()] }),
  retryOptions: { maxRetries: 10, retryDelayInMs: 200 },
});
const service = services[name](client, file);
process.on("SIGTERM", () => void service.close().then(() => client.close()));
