import { bodyReader } from "../../../src/wire/amqp/connection/composite.ts";
import { readBody, readFlow, readTransfer } from "../../../src/wire/amqp/connection/read-performative.ts";

/** Cuts what a server sends into frames and looks at no more of them than their kind. */
export class FrameStream {
  #rest: Buffer = Buffer.alloc(0);
  #greeted = false;

  push(chunk: Buffer, frame: (body: Buffer, performative: number) => void): void {
    let bytes = this.#rest.byteLength === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#greeted && bytes.byteLength >= 8) {
      this.#greeted = true;
      bytes = bytes.subarray(8);
    }
    let at = 0;
    while (this.#greeted && at + 8 <= bytes.byteLength) {
      const size = bytes.readUInt32BE(at);
      if (at + size > bytes.byteLength) break;
      // Descriptors come as one byte or as eight.
      const performative = bytes[at + (bytes[at + 9] === 0x53 ? 10 : 17)] ?? 0;
      if (size > 8) frame(bytes.subarray(at + 8, at + size), performative);
      at += size;
    }
    this.#rest = bytes.subarray(at);
  }

  flow(body: Buffer): { readonly handle: number; readonly deliveryCount: number; readonly linkCredit: number } {
    const reader = bodyReader(body);
    readBody(reader);
    const { handle = -1, deliveryCount = 0, linkCredit = 0 } = readFlow(reader);
    return { handle, deliveryCount, linkCredit };
  }

  deliveryId(body: Buffer): number {
    const reader = bodyReader(body);
    readBody(reader);
    return readTransfer(reader).deliveryId ?? 0;
  }
}
