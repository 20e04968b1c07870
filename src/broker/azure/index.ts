export { type AzureEngineOptions, type AzureEngineSettings, azureEngine } from "./azure-engine.ts";
export type { AzureNamespace, ConnectionStringNamespace, CredentialNamespace } from "./azure-namespace.ts";
export { type BrokerAddress, type ConnectionSettings, parseConnectionString } from "./connection-string.ts";
export type { TokenCredential } from "./tokens.ts";
export { tcpTransport, type Transport } from "./transport.ts";
export { webSocketTransport } from "./web-socket-transport.ts";
