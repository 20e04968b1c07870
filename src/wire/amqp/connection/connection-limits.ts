import { type DurationLike, toMilliseconds } from "../../../core/time/duration.ts";

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
  /** From the first byte to the open. Default: 10 seconds. */
  readonly handshakeTimeout: DurationLike;
  /** Silence after which the connection is ended; the peer is asked to send twice as often. Default: 2 minutes. */
  readonly idleTimeout: DurationLike;
}

/** {@link ConnectionLimits} with their times in milliseconds. */
export interface ResolvedLimits extends ConnectionLimits {
  readonly handshakeTimeout: number;
  readonly idleTimeout: number;
}

/** The limits when none are given. */
const defaultLimits: ResolvedLimits = {
  maxFrameSize: 65_536,
  channelMax: 1023,
  handleMax: 255,
  maxLinks: 1024,
  maxLinkBytes: 1_200_000,
  handshakeTimeout: 10_000,
  idleTimeout: 120_000,
};

/** Fills in the defaults. @throws SobreError `InvalidArgument` naming the time that is not a duration. */
export function resolveLimits(limits: Partial<ConnectionLimits> = {}): ResolvedLimits {
  const { handshakeTimeout = defaultLimits.handshakeTimeout, idleTimeout = defaultLimits.idleTimeout } = limits;
  return {
    ...defaultLimits,
    ...limits,
    handshakeTimeout: toMilliseconds(handshakeTimeout, "limits.handshakeTimeout"),
    idleTimeout: toMilliseconds(idleTimeout, "limits.idleTimeout"),
  };
}
