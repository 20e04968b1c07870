import type { Session } from "./session.ts";
import { WireFault } from "./wire-fault.ts";

/** The sessions of a connection, by this side's channels. */
export class SessionTable extends Map<number, Session> {
  /** Sessions whose peer has chosen another channel for its direction, by that channel. */
  readonly #byRemoteChannel = new Map<number, Session>();

  /** The peer has answered the begin of a session, on its channel. */
  answered(session: Session, channel: number): void {
    if (channel !== session.channel) this.#byRemoteChannel.set(channel, session);
  }

  /** The session that a frame on this channel of the peer's belongs to. @throws WireFault `amqp:not-allowed`. */
  on(channel: number): Session {
    // Nearly all peers use one channel number for both directions of a session.
    const session = this.#byRemoteChannel.get(channel) ?? this.get(channel);
    if (session !== undefined) return session;
    throw new WireFault("amqp:not-allowed", `No session was begun on the channel ${channel}.`);
  }

  forget(session: Session): void {
    if (this.get(session.channel) === session) this.delete(session.channel);
    for (const [channel, answered] of this.#byRemoteChannel) {
      if (answered === session) this.#byRemoteChannel.delete(channel);
    }
  }
}
