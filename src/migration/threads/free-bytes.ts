/** Gives the memory of bytes back at once: that of a hundred batches would wait for a collection. */
export function freeBytes({ buffer }: Uint8Array<ArrayBuffer>): void {
  buffer.transfer(0);
}
