import type { ByteReader } from "../../../core/amqp-values/byte-reader.ts";
import { bodyReader } from "./composite.ts";
import { type ResolvedLimits, resolveLimits } from "./connection-limits.ts";
import type { ConnectionEvents, ConnectionOptions } from "./connection-options.ts";
import { FrameReader } from "./frame-reader.ts";
import { FrameWriter } from "./frame-writer.ts";
import { LinkBudget } from "./link-budget.ts";
import type { DeliveryState } from "./delivery-state.ts";
import { askSasl, protocol, serveSasl } from "./handshake.ts";
import { Liveness } from "./liveness.ts";
import { code, type OpenPerformative } from "./performative.ts";
import type { ConnectionPort } from "./ports.ts";
import { readBegin, readBody, readEnding, readOpen } from "./read-performative.ts";
import { AmqpSession } from "./session.ts";
import { SessionsByChannel } from "./session-table.ts";
import { trackedErrorOf, type WireError, WireFault, wireErrorOf } from "./wire-fault.ts";

/** Maximum frame size in bytes before the open, when the peer is not known yet. */
const handshakeFrameSize = 8192;

/** Steps that the frames of one read may take besides their own bytes. */
const maxSteps = 250_000;

/** Bytes of output that may wait before nothing more is taken from an entity. */
const highWater = 256 * 1024;

type Phase = "header" | "sasl" | "open" | "running" | "closing" | "over";

/** An AMQP 1.0 connection from bytes to bytes, without a socket, in either role (AMQP 1.0 part 2.4). */
export class Connection implements ConnectionPort {
  readonly events: ConnectionEvents;
  readonly limits: ResolvedLimits;
  /** The resources that the peer's sessions and links hold. */
  readonly budget: LinkBudget;
  /** The peer's maximum frame size in bytes. */
  maxOutgoingFrame = 512;
  /** Whether output goes out; the owner sets it to false while its peer does not read. */
  writable = true;
  /** Whether it ended without a close from the peer or its owner: the peer may be dead. */
  lost = false;
  readonly #options: ConnectionOptions;
  readonly #liveness: Liveness;
  readonly #reader: FrameReader;
  readonly #frames = new FrameWriter();
  readonly #sessions = new SessionsByChannel();
  #phase: Phase = "header";
  #askedForOutput = false;
  #steps = 0;
  #opened = false;
  #saslDone = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.events = options.events;
    this.limits = resolveLimits(options.limits);
    this.budget = new LinkBudget(this.limits);
    this.#reader = new FrameReader(handshakeFrameSize);
    this.#liveness = new Liveness(this.limits, options.now);
    if (options.role === "client")
      this.frames.protocolHeader(options.clientSasl === undefined ? protocol.amqp : protocol.sasl);
  }

  /** Where frames are written; asks for the output to be taken. */
  get frames(): FrameWriter {
    if (!this.#askedForOutput) {
      this.#askedForOutput = true;
      this.events.output();
    }
    return this.#frames;
  }

  /** The id of the first delivery of a new session. */
  firstDeliveryId(): number {
    return this.#options.firstDeliveryId?.() ?? 0;
  }

  /** The form of an error that is sent to the peer; one that is not for the peer goes to the event `failed`. */
  errorOf(error: unknown, trackingId?: string): WireError {
    return trackedErrorOf(error, this.events.failed, trackingId);
  }

  ignored(state: DeliveryState | undefined): void {
    if (state !== undefined) this.events.ignored?.(state);
  }

  /** Whether both sides are done: the socket can be closed when all output is out. */
  get over(): boolean {
    return this.#phase === "over";
  }

  /** Whether so much output is waiting that senders should wait until their link has `flowed`. */
  get full(): boolean {
    return this.#frames.size >= highWater;
  }

  /** All bytes that are waiting to be sent. */
  take(): Uint8Array {
    this.#sessions.flush();
    this.#askedForOutput = false;
    if (this.#frames.size > 0) this.#liveness.spoke();
    const wasFull = this.full;
    const bytes = this.#frames.take();
    if (wasFull) this.#sessions.resume();
    return bytes;
  }

  /** Marks the bytes of the last {@link take} as copied, so that they may be overwritten. */
  taken(): void {
    this.#frames.reuse();
  }

  /** Takes bytes that the peer has sent; they must not be overwritten afterwards. Never throws: protocol violations are reported to the peer. */
  receive(chunk: Uint8Array): void {
    if (this.#phase === "over") return;
    this.#liveness.heard();
    this.#steps = 0;
    this.#reader.push(chunk);
    try {
      while (this.#step());
    } catch (error) {
      this.fail(error);
    }
  }

  /** Checks the time-outs: call it about once a second. */
  tick(): void {
    if (this.#phase === "over") return;
    try {
      if (this.#liveness.check(this.#phase === "running" || this.#phase === "closing")) this.frames.empty();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The socket is gone. */
  disconnected(): void {
    if (this.#phase !== "over" && this.#phase !== "closing") this.lost = true;
    this.#finish({ condition: "amqp:connection:forced", description: "The connection was closed by the server." });
  }

  /** Closes the connection. */
  close(error?: WireError): void {
    if (this.#phase === "over" || this.#phase === "closing") return;
    this.#sessions.flush();
    if (!this.#opened) this.#writeOpen();
    this.frames.close(error);
    this.#phase = "closing";
    this.#sessions.finish(lossOf(error));
    if (error !== undefined) this.#finish(error);
  }

  /** Begins a session, as a client. */
  openSession(): AmqpSession {
    let channel = 0;
    while (this.#sessions.has(channel)) channel++;
    const session = new AmqpSession(this, channel, this.events);
    this.#sessions.set(channel, session);
    session.begin();
    return session;
  }

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > maxSteps)
      throw new WireFault("amqp:resource-limit-exceeded", "Processing the frames of one read takes too much work.");
  }

  forget(channel: number): void {
    this.#sessions.forget(channel);
  }

  flushLater(channel: number): void {
    this.#sessions.flushLater(channel);
    void this.frames;
  }

  /** The socket accepts bytes again. */
  resume(): void {
    this.writable = true;
    this.#sessions.resume();
  }

  /** Ends the connection because of an error, in any phase. */
  fail(error: unknown): void {
    if (this.#phase === "over" || this.#phase === "closing") return this.#finish(undefined);
    if (this.#phase === "sasl" && this.#options.role === "server") this.frames.saslOutcome(1);
    if (this.#phase === "sasl") this.frames.protocolHeader(protocol.amqp);
    this.lost = true;
    this.close(error instanceof WireFault ? wireErrorOf(error) : this.errorOf(error));
  }

  #step(): boolean {
    if (this.#phase === "over") return false;
    if (this.#phase === "header") return this.#header();
    if (!this.#reader.next()) return false;
    if (this.#phase === "sasl") this.#saslFrame(this.#reader);
    else this.#amqpFrame(this.#reader);
    return true;
  }

  #header(): boolean {
    const header = this.#reader.header();
    if (header === undefined) return false;
    const { role, serverSasl, clientSasl } = this.#options;
    if (role === "client") {
      if (header.protocol === protocol.sasl && clientSasl !== undefined && !this.#saslDone) this.#phase = "sasl";
      else if (header.protocol === protocol.amqp) {
        this.#phase = "open";
        this.#writeOpen();
      } else this.#finish({ condition: "amqp:not-implemented", description: "The peer does not speak AMQP 1.0." });
      return true;
    }
    if (header.protocol === protocol.sasl && serverSasl !== undefined && !this.#saslDone) {
      this.frames.protocolHeader(protocol.sasl);
      this.frames.saslMechanisms(serverSasl.mechanisms);
      this.#phase = "sasl";
    } else if (header.protocol === protocol.amqp) {
      this.frames.protocolHeader(protocol.amqp);
      this.#phase = "open";
    } else {
      // A peer that speaks another protocol gets our header, then the connection is closed (AMQP 1.0 part 2.2).
      this.frames.protocolHeader(protocol.amqp);
      this.#finish({ condition: "amqp:not-implemented", description: "The peer does not speak AMQP 1.0." });
    }
    return true;
  }

  #saslFrame(frame: FrameReader): void {
    if (frame.type !== 1)
      throw new WireFault("amqp:not-allowed", "Received a frame that is not a SASL frame during SASL.");
    const reader = bodyReader(frame.body);
    const sasl = { descriptor: readBody(reader), reader };
    const { serverSasl, clientSasl } = this.#options;
    if (serverSasl !== undefined && this.#options.role === "server") serveSasl(serverSasl, this.frames, sasl);
    else if (clientSasl === undefined || !askSasl(clientSasl, this.frames, sasl)) return;
    this.#saslDone = true;
    this.#phase = "header";
    if (this.#options.role === "client") this.frames.protocolHeader(protocol.amqp);
  }

  #amqpFrame(frame: FrameReader): void {
    if (frame.type !== 0)
      throw new WireFault("amqp:connection:framing-error", `The frame type ${frame.type} is not an AMQP frame type.`);
    if (frame.start === frame.end) return;
    const { frequent } = frame;
    if (frequent !== undefined && this.#phase === "running" && this.#inSession(frame, frequent, undefined)) return;
    const reader = bodyReader(frame.body);
    const descriptor = readBody(reader);
    if (descriptor === code.open) return this.#open(readOpen(reader));
    if (descriptor === code.close) return this.#closedByPeer(readEnding(reader));
    // Frames between this side's close and the peer's are ignored.
    if (this.#phase === "closing") return;
    if (this.#phase !== "running") throw new WireFault("amqp:illegal-state", "The first frame must be an open.");
    if (descriptor === code.begin) return this.#begin(frame.channel, reader);
    this.#inSession(frame, descriptor, reader);
  }

  #inSession(frame: FrameReader, descriptor: number, reader: ByteReader | undefined): boolean {
    const session = this.#sessions.on(frame.channel);
    try {
      if (reader === undefined) return session.singleFrame(descriptor, frame);
      session.received(descriptor, reader);
    } catch (error) {
      if (!(error instanceof WireFault) || error.scope === "connection") throw error;
      session.end(wireErrorOf(error));
    }
    return true;
  }

  #open(open: OpenPerformative): void {
    if (this.#phase !== "open") throw new WireFault("amqp:illegal-state", "The connection was opened twice.");
    this.maxOutgoingFrame = Math.max(512, Math.min(open.maxFrameSize ?? Infinity, this.limits.maxFrameSize));
    this.#liveness.remoteIdleTimeOut = open.idleTimeOut ?? 0;
    this.#reader.maxFrameSize = this.limits.maxFrameSize;
    this.#phase = "running";
    if (!this.#opened) this.#writeOpen();
    this.events.opened(open);
  }

  #writeOpen(): void {
    const { containerId, hostname, properties } = this.#options;
    const { maxFrameSize, channelMax, idleTimeout } = this.limits;
    this.#opened = true;
    this.frames.open({
      containerId,
      hostname,
      maxFrameSize,
      channelMax,
      idleTimeOut: Math.floor(idleTimeout / 2),
      properties,
    });
  }

  #begin(channel: number, reader: ByteReader): void {
    const begin = readBegin(reader);
    if (channel > this.limits.channelMax)
      throw new WireFault(
        "amqp:connection:framing-error",
        `The channel ${channel} is above the ${this.limits.channelMax} allowed.`,
      );
    const asking = begin.remoteChannel === undefined ? undefined : this.#sessions.get(begin.remoteChannel);
    if (asking !== undefined) {
      this.#sessions.answered(asking, channel);
      asking.began(begin);
      return;
    }
    if (begin.remoteChannel !== undefined)
      throw new WireFault("amqp:not-allowed", "A begin answers a session that this side did not begin.");
    if (this.#sessions.has(channel))
      throw new WireFault("amqp:illegal-state", "A session was begun twice on the same channel.");
    const session = new AmqpSession(this, channel, this.events);
    this.#sessions.set(channel, session);
    session.begin({ channel, begin });
  }

  #closedByPeer(error: WireError | undefined): void {
    if (this.#phase === "open") throw new WireFault("amqp:illegal-state", "The first frame must be an open.");
    if (this.#phase === "running") {
      this.#sessions.flush();
      this.frames.close(undefined);
    }
    this.#finish(error);
  }

  #finish(error: WireError | undefined): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.#sessions.finish(lossOf(error));
    this.events.closed(error);
  }
}

/** The end of a connection as its links see it: whichever rule was broken, they may be attached again on another connection. */
function lossOf(error: WireError | undefined): WireError | undefined {
  if (error === undefined || !error.condition.startsWith("amqp:") || error.condition === "amqp:unauthorized-access")
    return error;
  return { condition: "amqp:connection:forced", description: `${error.condition}: ${error.description ?? ""}` };
}
