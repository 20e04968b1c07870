import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createWebSocketStream, WebSocketServer } from "ws";

/** The name of AMQP 1.0 over WebSockets (AMQP WebSocket binding, working draft 7). */
const subprotocol = "AMQPWSB10";

/** Maximum size of a WebSocket message in bytes; AMQP frames are far smaller. */
const maxPayload = 2 ** 20;

const server = new WebSocketServer({
  noServer: true,
  maxPayload,
  perMessageDeflate: false,
  handleProtocols: (protocols) => (protocols.has(subprotocol) ? subprotocol : false),
});

/** Accepts an upgrade request and returns the byte stream for AMQP. */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  accept: (stream: Duplex) => void,
): void {
  const [path = ""] = (request.url ?? "").split("?");
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  if (!/^\/\$servicebus\/websocket\/?$/i.test(path) || !offered.includes(subprotocol)) {
    socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    return;
  }
  server.handleUpgrade(request, socket, head, (webSocket) => accept(createWebSocketStream(webSocket)));
}
