import type { AmqpSession } from "./session.ts";
import { type WireError, WireFault } from "./wire-fault.ts";

/** The sessions of a connection, by this side's channels. */
export class SessionsByChannel extends Map<number, AmqpSession> {
  /** Sessions whose peer uses another channel for its direction, by that channel. */
  readonly #byRemoteChannel = new Map<number, AmqpSession>();

  #unflushed: number[] = [];

  /** Remembers a session that holds output back until {@link flush}. */
  flushLater(channel: number): void {
    this.#unflushed.push(channel);
  }

  /** Writes what sessions hold back. */
  flush(): void {
    const channels = this.#unflushed;
    if (channels.length === 0) return;
    this.#unflushed = [];
    for (const channel of channels) this.get(channel)?.flush();
  }

  /** There is room for output again. */
  resume(): void {
    for (const session of this.values()) session.resume();
  }

  /** Ends every session. */
  finish(error: WireError | undefined): void {
    for (const session of this.values()) session.finish(error);
  }

  /** Handles the peer's answer to the begin of a session, on its own channel. */
  answered(session: AmqpSession, channel: number): void {
    if (channel !== session.channel) this.#byRemoteChannel.set(channel, session);
  }

  /** The session of a frame on this channel of the peer's. @throws WireFault `amqp:not-allowed`. */
  on(channel: number): AmqpSession {
    // Nearly all peers use one channel number for both directions of a session.
    const session = this.#byRemoteChannel.get(channel) ?? this.get(channel);
    if (session !== undefined) return session;
    throw new WireFault("amqp:not-allowed", `There is no session on channel ${channel}.`);
  }

  forget(channel: number): void {
    const session = this.get(channel);
    if (session === undefined) return;
    this.delete(channel);
    for (const [remote, answered] of this.#byRemoteChannel) {
      if (answered === session) this.#byRemoteChannel.delete(remote);
    }
  }
}
