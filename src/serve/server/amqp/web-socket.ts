import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createWebSocketStream, WebSocketServer } from "ws";

/** The names of AMQP 1.0 over WebSockets: that of the OASIS binding, and that of its working draft 7, which official clients offer. */
const subprotocols: ReadonlySet<string> = new Set(["amqp", "AMQPWSB10"]);

/** Maximum size of a WebSocket message in bytes; AMQP frames are far smaller. */
const maxPayload = 2 ** 20;

const server = new WebSocketServer({
  noServer: true,
  maxPayload,
  perMessageDeflate: false,
  handleProtocols: (protocols) => Array.from(protocols).find((name) => subprotocols.has(name)) ?? false,
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
  if (!/^\/\$servicebus\/websocket\/?$/i.test(path)) return refuse(socket, "404 Not Found", notHere);
  if (!offered.some((name) => subprotocols.has(name))) return refuse(socket, "400 Bad Request", notAmqp);
  server.handleUpgrade(request, socket, head, (webSocket) => accept(createWebSocketStream(webSocket)));
}

const notHere = "AMQP over WebSockets is at /$servicebus/websocket.";
const notAmqp = `Offer the WebSocket subprotocol ${[...subprotocols].join(" or ")}.`;

function refuse(socket: Duplex, status: string, why: string): void {
  const head = ["connection: close", "content-type: text/plain", `content-length: ${Buffer.byteLength(why)}`];
  socket.end([`HTTP/1.1 ${status}`, ...head, "", why].join("\r\n"));
}
