export { type AzureEngineOptions, azureEngine } from "./azure-engine.ts";
export { type ConnectionSettings, parseConnectionString } from "./connection-string.ts";
export { tcpTransport, type Transport } from "./transport.ts";
export { webSocketTransport } from "./web-socket-transport.ts";
