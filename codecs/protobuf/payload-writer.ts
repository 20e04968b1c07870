import { Writer } from "../../src/core/protobuf/protobufjs.ts";
import { longWriters } from "./long-writers.ts";

/** Room for many ordinary messages, which share a buffer as those of Node's own pool do. */
const poolBytes = 16 * 1024;
/** Larger payloads get their own buffer, so that a long-lived one keeps little else alive. */
const maxSharedBytes = 2048;
/** Longer texts are worth a call into the platform's encoder. */
const shortText = 0x80;

const utf8 = new TextEncoder();

/** Writes one payload after the other into a buffer that they share, and 64-bit integers from bigints. */
export class PayloadWriter extends Writer {
  /** Where the current payload begins. */
  #start = 0;

  /** Begins a payload, without what was written before and not taken. */
  begin(): void {
    this.states = null;
    this.pos = this.#start;
    // Somebody may have transferred it away, too.
    if (this.buf.length !== poolBytes || poolBytes - this.pos < maxSharedBytes) this.#renew();
  }

  /** The payload that was written. */
  take(): Uint8Array {
    const { buf, pos } = this;
    const start = this.#start;
    const shared = pos - start <= maxSharedBytes;
    if (buf.length !== poolBytes) this.#renew();
    else if (shared) this.#start = pos;
    return shared ? buf.subarray(start, pos) : buf.slice(start, pos);
  }

  /** Makes sure that so many bytes can be written; what is there stays where it is, since lengths wait to be filled in. */
  room(bytes: number): void {
    if (this.pos + bytes <= this.buf.length) return;
    const written = this.buf.subarray(0, this.pos);
    this.buf = new Uint8Array(2 * (this.pos + bytes));
    this.buf.set(written);
    this.view = null;
  }

  override string(value: string): Writer {
    return value.length < shortText ? super.string(value) : this.bytes(utf8.encode(value));
  }

  #renew(): void {
    this.buf = new Uint8Array(poolBytes);
    this.view = null;
    this.#start = 0;
    this.pos = 0;
  }
}
// The declarations of protobufjs take Long objects here; the generated code hands on what there is.
Object.assign(PayloadWriter.prototype, longWriters);
