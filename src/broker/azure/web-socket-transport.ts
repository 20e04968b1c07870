import { Duplex } from "node:stream";
import type { BrokerAddress } from "./connection-string.ts";
import { tcpTransport, type Transport, unreachable } from "./transport.ts";

/** The name of AMQP 1.0 over WebSockets (AMQP WebSocket binding, working draft 7). */
const subprotocol = "AMQPWSB10";

/** Maximum bytes in the send buffer before the writer must wait. */
const maxBufferedBytes = 1_048_576;

/** Milliseconds between looks at what waits. */
const pause = 10;

/**
 * AMQP over WebSockets, for networks that allow only HTTPS; with TLS unless the connection string is for an emulator.
 * Trusts only the system's certificate authorities.
 */
export function webSocketTransport(): Transport {
  return (settings) => {
    const url = urlOf(settings);
    const socket = new WebSocket(url, [subprotocol]);
    socket.binaryType = "arraybuffer";
    return new Promise((resolve, reject) => {
      const failed = (): void => void whyNot(settings, url).then(reject);
      socket.addEventListener("error", failed, { once: true });
      socket.addEventListener("open", () => resolve(streamOf(socket)), { once: true });
    });
  };
}

function urlOf({ host, port, secure }: BrokerAddress): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${secure ? "wss" : "ws"}://${name}${port === undefined ? "" : `:${port}`}/$servicebus/websocket`;
}

/** The reason why there is no WebSocket, which the platform keeps to itself: what becomes of a socket without one. */
async function whyNot(settings: BrokerAddress, url: string): Promise<unknown> {
  try {
    const port = settings.port ?? (settings.secure ? 443 : 80);
    const stream = await tcpTransport()({ ...settings, port });
    stream.destroy();
  } catch (error) {
    return error;
  }
  return unreachable(url, new Error("it does not accept AMQP over WebSockets"));
}

function streamOf(socket: WebSocket): Duplex {
  const stream = new Duplex({
    read: () => undefined,
    write(chunk: Uint8Array, _encoding, done) {
      socket.send(new Uint8Array(chunk));
      const wait = (): void => {
        if (socket.bufferedAmount < maxBufferedBytes || socket.readyState !== WebSocket.OPEN) done();
        else setTimeout(wait, pause);
      };
      wait();
    },
    final(done) {
      socket.close();
      done();
    },
    destroy(error, done) {
      socket.close();
      done(error);
    },
  });
  socket.addEventListener("message", (event) => {
    const data: unknown = event.data;
    if (data instanceof ArrayBuffer) stream.push(new Uint8Array(data));
  });
  socket.addEventListener("error", () => void stream.destroy());
  socket.addEventListener("close", () => void stream.destroy());
  return stream;
}
