export {
  type Server,
  type ServedNamespace,
  type ServerEvent,
  type ServerOptions,
  startServer,
} from "./start-server.ts";
