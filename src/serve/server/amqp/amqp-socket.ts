import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Engine } from "../../../core/engine/engine.ts";
import { failedLoginPause } from "../failed-login.ts";
import { ServedConnection, type ServedConnectionOptions } from "./served-connection.ts";

/** How long a closed connection waits for its peer to close the socket, in milliseconds. */
const lingering = 2000;

/** How often {@link AmqpSocket.tick} is called at least, in milliseconds. */
export const tickInterval = 1000;

/** Connects an AMQP connection to its socket. */
export class AmqpSocket {
  readonly #socket: Duplex;
  readonly #connection: ServedConnection;
  readonly #isPlain: boolean;
  #flushing = false;
  #pausing = false;

  constructor(socket: Duplex, options: Omit<ServedConnectionOptions, "output" | "loginFailed" | "peerIdleTimeOut">) {
    this.#socket = socket;
    this.#isPlain = socket instanceof Socket && !("encrypted" in socket);
    this.#connection = new ServedConnection({
      ...options,
      output: () => this.#flushSoon(),
      loginFailed: () => this.#pause(),
      peerIdleTimeOut: (milliseconds) => this.#keepAlive(milliseconds),
    });
    socket.on("data", (chunk: Buffer) => this.#connection.wire.receive(chunk));
    socket.on("drain", () => this.#drained());
    // A socket's error is followed by its close event, which is all that matters here.
    socket.on("error", () => undefined);
    socket.on("end", () => this.#connection.wire.disconnected());
    socket.on("close", () => this.#connection.wire.disconnected());
  }

  /** Checks time-outs and expired tokens. */
  tick(): void {
    this.#connection.tick();
  }

  /** Ends the connection with a close that has a description. */
  close(description: string): void {
    this.#connection.wire.close({ condition: "amqp:connection:forced", description });
    this.#flush();
  }

  /** Cuts the connection without a word, if it is one of a namespace. */
  cut(namespace: Engine): void {
    if (this.#connection.isOf(namespace)) this.#socket.destroy();
  }

  /** Ticks more often for a peer that gives the connection up sooner than the next ticks would come. */
  #keepAlive(peerIdleTimeOut: number): void {
    if (peerIdleTimeOut >= 4 * tickInterval) return;
    const ticking = setInterval(() => this.#connection.wire.tick(), Math.max(peerIdleTimeOut / 4, 10));
    ticking.unref();
    this.#socket.once("close", () => clearInterval(ticking));
  }

  /** Everything from one turn of the event loop is sent in one write. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  #pause(): void {
    if (this.#pausing) return;
    this.#pausing = true;
    this.#socket.pause();
    const over = setTimeout(() => {
      this.#pausing = false;
      this.#socket.resume();
      this.#flush();
    }, failedLoginPause);
    over.unref();
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#pausing) return;
    const { wire } = this.#connection;
    const bytes = wire.take();
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    if (bytes.byteLength > 0 && !this.#socket.write(bytes)) {
      wire.writable = false;
      // Backpressure: stop reading from a peer that does not read.
      this.#socket.pause();
    }
    // A plain socket with an empty buffer has passed everything to the operating system.
    if (this.#isPlain && this.#socket.writableLength === 0) wire.taken();
    if (!wire.over) return;
    this.#socket.end();
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), lingering).unref();
  }

  #drained(): void {
    this.#connection.wire.resume();
    if (!this.#pausing) this.#socket.resume();
  }
}
