import { writeMessage } from "../../../src/wire/amqp/message/write-message.ts";
import { FrameWriter } from "../../../src/wire/amqp/connection/frame-writer.ts";
import { code, type Role } from "../../../src/wire/amqp/connection/performative.ts";

/** A window that never closes. */
export const wide: number = 2 ** 31 - 1;

/** Messages that may come before the next flow. */
export const receiveCredit = 1000;

/** Handles of a load's links. */
export const handles: Readonly<Record<Role, number>> = { sender: 0, receiver: 1 };

/**
 * How a client writes its frames: `compact` with lists of 8 bits and no more fields than there must be; `official` as
 * `@azure/service-bus` does, with lists of 32 bits, an empty header, empty annotations, and settlements that it wants
 * confirmed; `persistent` is the official shape with a header that asks other brokers to keep the message.
 */
export type Shape = "compact" | "official" | "persistent";

/** Where the delivery id lies in a transfer: behind the frame's header, the descriptor, the list, the handle and its code. */
export const deliveryIdAt: Readonly<Record<Shape, number>> = {
  compact: 8 + 3 + 3 + 1 + 1,
  official: 8 + 3 + 9 + 1 + 1,
  persistent: 8 + 3 + 9 + 1 + 1,
};

/** Bytes of a compact transfer before its message. */
export const transferHead: number = 8 + 3 + 3 + 1 + 5 + 2 + 2;

const officialFields = [0xd0, 0, 0, 0, 17, 0, 0, 0, 6, 0x43, 0x70, 0, 0, 0, 0, 0xa0, 2, 0, 0, 0x43, 0x42, 0x42];

const fields = {
  compact: [0xc0, 13, 5, 0x43, 0x70, 0, 0, 0, 0, 0xa0, 2, 0, 0, 0x43, 0x42],
  official: officialFields,
  persistent: officialFields,
} as const;

/** The official client's header, which is empty. */
const header = { official: "00537045", persistent: "005370c0020141" } as const;

/** The official client's empty annotations, and its properties with a message id of 16 characters. */
const officialHead = "005372d10000000400000000 005373d00000001600000001a110";
const messageId = "0123456789abcdef";

function messageOfKilobyte(shape: Shape): Uint8Array {
  const body = new Uint8Array(1024);
  if (shape === "compact") return writeMessage({ properties: { messageId }, body: { kind: "data", sections: [body] } });
  const head = Buffer.from(`${header[shape]}${officialHead.replaceAll(" ", "")}`, "hex");
  return Buffer.concat([head, Buffer.from(messageId), Buffer.from("005375b000000400", "hex"), body]);
}

/** A transfer of 1 KiB on the sender's handle, whose delivery id has room for any number. */
export function transferOfKilobyte(shape: Shape): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 2, 0, 0, 0, 0x00, 0x53, code.transfer, ...fields[shape]]);
  const frame = Buffer.concat([head, messageOfKilobyte(shape)]);
  frame.writeUInt32BE(frame.byteLength);
  return frame;
}

/** The disposition that accepts deliveries, in the shape of the official client, which wants it confirmed. */
export function officialDisposition(first: number, last: number): Buffer {
  const frame = Buffer.from("0000002402000000005315d0000000140000000541700000000070000000004200532445", "hex");
  frame.writeUInt32BE(frame.byteLength);
  frame.writeUInt32BE(first, 22);
  frame.writeUInt32BE(last, 27);
  return frame;
}

/** The first frames of a client that is to send to an address, to receive from it, or both. */
export function opening(address: string, roles: readonly Role[]): Uint8Array {
  const frames = new FrameWriter();
  frames.protocolHeader(0);
  frames.open({
    containerId: `load-${crypto.randomUUID()}`,
    hostname: "127.0.0.1",
    idleTimeOut: 0,
    maxFrameSize: 65_536,
    channelMax: 10,
  });
  frames.begin(0, { nextOutgoingId: 0, incomingWindow: wide, outgoingWindow: wide });
  const ends = { sndSettleMode: 0, rcvSettleMode: 0 } as const;
  const far = { source: { kind: "source", address }, target: { kind: "target", address } } as const;
  for (const role of roles) {
    const initialDeliveryCount = role === "sender" ? 0 : undefined;
    frames.attach(0, { ...ends, ...far, name: role, handle: handles[role], role, initialDeliveryCount });
  }
  if (roles.includes("receiver")) credit(frames, { sent: 0, received: 0, nextIncomingId: 0 });
  return frames.take();
}

/** How far a load has got. */
export interface Progress {
  readonly sent: number;
  readonly received: number;
  readonly nextIncomingId: number;
}

/** Grants {@link receiveCredit} to the link that is received from. */
export function credit(frames: FrameWriter, { sent, received, nextIncomingId }: Progress): void {
  frames.flow(0, {
    handle: handles.receiver,
    nextIncomingId,
    incomingWindow: wide,
    nextOutgoingId: sent,
    outgoingWindow: wide,
    deliveryCount: received,
    linkCredit: receiveCredit,
  });
}
