export { type Certificate, selfSigned } from "./certificate.ts";
export type { SharedAccessKey, SharedAccessKeys } from "./namespaces.ts";
export {
  type ServedNamespace,
  type Server,
  type ServerEvent,
  type ServerOptions,
  startServer,
} from "./start-server.ts";
