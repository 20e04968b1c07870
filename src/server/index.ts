export { type Certificate, selfSigned } from "./certificate.ts";
export {
  type ServedNamespace,
  type Server,
  type ServerEvent,
  type ServerOptions,
  startServer,
} from "./start-server.ts";
