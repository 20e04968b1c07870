/** Initial size of a buffer in bytes. */
const firstRoom = 524_288;

/** The maximum number of UTF-8 bytes of a UTF-16 code unit. */
const mostBytes = 3;

/** Concatenates bytes and texts in a buffer that is reused. */
export class ByteCollector {
  #room = Buffer.allocUnsafeSlow(firstRoom);
  #length = 0;

  /** Adds the UTF-8 of a text; returns its length in bytes. */
  addText(text: string): number {
    this.#makeRoom(text.length * mostBytes);
    const written = this.#room.write(text, this.#length);
    this.#length += written;
    return written;
  }

  /** Returns a copy of the contents, and starts over. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#room.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#room.byteLength) return;
    const room = Buffer.allocUnsafeSlow(Math.max(this.#length + more, this.#room.byteLength * 2));
    room.set(this.#room.subarray(0, this.#length));
    this.#room = room;
  }
}
