export type { ConnectionLimits } from "../../wire/amqp/connection/connection-limits.ts";
export type { Grant, Right } from "./access.ts";
export { type Certificate, selfSignedCertificate } from "./certificate.ts";
export type { HttpHandler } from "./http/http-handler.ts";
export type { HttpRequest, HttpResponse } from "./http/http-message.ts";
export type {
  SharedAccessKey,
  SharedAccessKeys,
  TokenClaims,
  TokenNamespaces,
  TokenUse,
  TokenVerifier,
} from "./namespaces.ts";
export type { NamespaceOptions, ServerEvent, ServerHealth, ServerOptions } from "./server-options.ts";
export { type ServedNamespace, type Server, startServer } from "./start-server.ts";
