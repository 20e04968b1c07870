export type { ConnectionLimits } from "../amqp/connection/connection-limits.ts";
export type { Right } from "./access.ts";
export { type Certificate, selfSigned } from "./certificate.ts";
export type { SharedAccessKey, SharedAccessKeys, TokenClaims, TokenVerifier } from "./namespaces.ts";
export type { NamespaceOptions, ServerEvent, ServerOptions } from "./server-options.ts";
export { type ServedNamespace, type Server, startServer } from "./start-server.ts";
