import type { AmqpMap } from "../../../core/values/typed.ts";
import type { DeliveryState } from "./delivery-state.ts";
import type { WireError } from "./wire-fault.ts";

/** Descriptor codes of the frames' bodies and what they hold (AMQP 1.0 parts 2.7, 2.8, 3.4, 3.5, 4.5, 5.3). */
export const code = {
  open: 0x10,
  begin: 0x11,
  attach: 0x12,
  flow: 0x13,
  transfer: 0x14,
  disposition: 0x15,
  detach: 0x16,
  end: 0x17,
  close: 0x18,
  error: 0x1d,
  received: 0x23,
  accepted: 0x24,
  rejected: 0x25,
  released: 0x26,
  modified: 0x27,
  source: 0x28,
  target: 0x29,
  coordinator: 0x30,
  declare: 0x31,
  discharge: 0x32,
  declared: 0x33,
  transactionalState: 0x34,
  saslMechanisms: 0x40,
  saslInit: 0x41,
  saslChallenge: 0x42,
  saslResponse: 0x43,
  saslOutcome: 0x44,
} as const;

/** The fields of 2.7.1 that are used. */
export interface OpenPerformative {
  readonly containerId: string;
  readonly hostname?: string | undefined;
  /** Default: 4294967295. */
  readonly maxFrameSize?: number | undefined;
  /** Default: 65535. */
  readonly channelMax?: number | undefined;
  /** Milliseconds of silence after which its sender ends the connection. */
  readonly idleTimeOut?: number | undefined;
  readonly properties?: AmqpMap | undefined;
}

export interface Begin {
  readonly remoteChannel?: number | undefined;
  readonly nextOutgoingId: number;
  readonly incomingWindow: number;
  readonly outgoingWindow: number;
  /** Default: 4294967295. */
  readonly handleMax?: number | undefined;
}

/** A source or target; a coordinator is a separate kind of target. */
export interface Terminus {
  readonly kind: "source" | "target" | "coordinator";
  readonly address?: string | undefined;
  /** The peer requests a dynamic node. */
  readonly dynamic?: boolean | undefined;
  /** How a source distributes messages: `move`, the default, or `copy`, which leaves them there. */
  readonly distributionMode?: string | undefined;
  /** Filters of a source, by name. */
  readonly filter?: AmqpMap | undefined;
}

/** The role of the peer that sends the frame: sender or receiver. */
export type Role = "sender" | "receiver";

export interface AttachPerformative {
  readonly name: string;
  readonly handle: number;
  readonly role: Role;
  /** 0 unsettled, 1 settled, 2 mixed. */
  readonly sndSettleMode: number;
  /** 0 first, 1 second. */
  readonly rcvSettleMode: number;
  readonly source?: Terminus | undefined;
  readonly target?: Terminus | undefined;
  readonly initialDeliveryCount?: number | undefined;
  readonly maxMessageSize?: bigint | undefined;
  readonly properties?: AmqpMap | undefined;
}

export interface Flow {
  readonly nextIncomingId?: number | undefined;
  readonly incomingWindow: number;
  readonly nextOutgoingId: number;
  readonly outgoingWindow: number;
  readonly handle?: number | undefined;
  readonly deliveryCount?: number | undefined;
  readonly linkCredit?: number | undefined;
  readonly available?: number | undefined;
  readonly drain?: boolean | undefined;
  readonly echo?: boolean | undefined;
}

export interface TransferPerformative {
  readonly handle: number;
  readonly deliveryId?: number | undefined;
  readonly deliveryTag?: Uint8Array | undefined;
  readonly messageFormat?: number | undefined;
  readonly settled?: boolean | undefined;
  readonly more: boolean;
  readonly state?: DeliveryState | undefined;
  readonly aborted: boolean;
}

export interface Disposition {
  readonly role: Role;
  readonly first: number;
  readonly last: number;
  readonly settled: boolean;
  readonly state?: DeliveryState | undefined;
}

export interface Detach {
  readonly handle: number;
  readonly closed: boolean;
  readonly error?: WireError | undefined;
}
