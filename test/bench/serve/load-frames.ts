import { writeMessage } from "../../../src/amqp/message/write-message.ts";
import { FrameWriter } from "../../../src/amqp/connection/frame-writer.ts";
import { code, type Role } from "../../../src/amqp/connection/performative.ts";

/** A window that never closes. */
export const wide: number = 2 ** 31 - 1;

/** Messages that may come before the next flow. */
export const receiveCredit = 1000;

/** Handles of a load's links. */
export const handles: Readonly<Record<Role, number>> = { sender: 0, receiver: 1 };

/** Where the delivery id lies in a transfer: behind the frame's header, the descriptor, the list, the handle and its code. */
export const deliveryIdAt: number = 8 + 3 + 3 + 1 + 1;

/** Bytes of a transfer before its message. */
export const transferHead: number = 8 + 3 + 3 + 1 + 5 + 2 + 2;

/** A transfer of 1 KiB on the sender's handle, whose delivery id has room for any number. */
export function transferOfKilobyte(): Buffer {
  const message = writeMessage({
    properties: { messageId: "0123456789abcdef" },
    body: { kind: "data", sections: [new Uint8Array(1024)] },
  });
  const list = [0x00, 0x53, code.transfer, 0xc0, 13, 5, 0x43, 0x70, 0, 0, 0, 0, 0xa0, 2, 0, 0, 0x43, 0x42];
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, 2, 0, 0, 0, ...list]), message]);
  frame.writeUInt32BE(frame.byteLength);
  return frame;
}

/** What a client says at first, to send to an address, to receive from it, or both. */
export function opening(address: string, roles: readonly Role[]): Uint8Array {
  const frames = new FrameWriter();
  frames.protocolHeader(0);
  frames.open({ containerId: "load", hostname: "127.0.0.1", idleTimeOut: 0, maxFrameSize: 65_536, channelMax: 10 });
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
