/** Limits on the resources that a peer may use. */
export interface ConnectionLimits {
  /** Maximum frame size in bytes. Default: 65,536. */
  readonly maxFrameSize: number;
  /** The highest channel. Default: 1023. */
  readonly channelMax: number;
  /** The highest handle of a session. Default: 255. */
  readonly handleMax: number;
  /** Maximum number of links per connection. Default: 1,024. */
  readonly maxLinks: number;
  /** Maximum estimated bytes that the sessions and links of a connection may hold. Default: 1,200,000. */
  readonly maxLinkBytes: number;
  /** Milliseconds from the first byte to the open. Default: 10000. */
  readonly handshakeTimeOut: number;
  /** Milliseconds of silence after which the connection is ended; the peer is asked to send twice as often. Default: 120000. */
  readonly idleTimeOut: number;
}

/** The limits when none are given. */
export const defaultLimits: ConnectionLimits = {
  maxFrameSize: 65_536,
  channelMax: 1023,
  handleMax: 255,
  maxLinks: 1024,
  maxLinkBytes: 1_200_000,
  handshakeTimeOut: 10_000,
  idleTimeOut: 120_000,
};
