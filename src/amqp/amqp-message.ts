import { ByteReader } from "../../codecs/amqp/byte-reader.ts";
import { type ReadOptions, resolveReadOptions } from "../../codecs/amqp/read-value.ts";
import { readTyped } from "../../codecs/amqp/read-typed.ts";
import { AmqpMap, type AmqpValue, type BodyKind } from "../envelope/index.ts";
import { type MessageHeader, readHeader } from "./message-header.ts";
import { type MessageProperties, readProperties } from "./message-properties.ts";
import { section, type SectionName, sectionNames } from "./section.ts";
import { scanSections } from "./section-scan.ts";

/** The body of a message: several data or sequence sections, or one value (AMQP 1.0 part 3.2.6 to 3.2.8). */
export type MessageBody =
  | { readonly kind: "data"; readonly sections: readonly Uint8Array[] }
  | { readonly kind: "sequence"; readonly sections: readonly (readonly AmqpValue[])[] }
  | { readonly kind: "value"; readonly value: AmqpValue };

/** The sections of a message; those that were not sent are `undefined`. */
export interface MessageSections {
  readonly header?: MessageHeader | undefined;
  readonly deliveryAnnotations?: AmqpMap | undefined;
  readonly messageAnnotations?: AmqpMap | undefined;
  readonly properties?: MessageProperties | undefined;
  readonly applicationProperties?: AmqpMap | undefined;
  /** `undefined`: no body at all, which is not the same as a body that is null. */
  readonly body?: MessageBody | undefined;
  readonly footer?: AmqpMap | undefined;
}

/** How messages are read; the mode is always typed. */
export type MessageReadOptions = Omit<ReadOptions, "mode" | "extensions">;

/** Where a section of a message lies in its bytes. */
export interface SectionBorder {
  readonly name: SectionName;
  /** Where the descriptor begins. */
  readonly start: number;
  /** Where the value behind the descriptor begins. */
  readonly content: number;
  readonly end: number;
}

const defaults = resolveReadOptions().settings;

/**
 * Opens an AMQP message: its section borders are checked now, each section is read when it is first asked for.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload` or `LimitExceeded` with offset and path; so do the sections later.
 */
export function openMessage(bytes: Uint8Array, options?: MessageReadOptions): AmqpMessage {
  return new AmqpMessage(bytes, options);
}

/** A message as it was received; see {@link openMessage}. */
export class AmqpMessage implements MessageSections {
  readonly bytes: Uint8Array;
  readonly #reader: ByteReader;
  /** Three numbers per section: its place in `section`, where it starts, and where its value starts. */
  readonly #borders: readonly number[];
  #header: MessageHeader | undefined;
  #deliveryAnnotations: AmqpMap | undefined;
  #messageAnnotations: AmqpMap | undefined;
  #properties: MessageProperties | undefined;
  #applicationProperties: AmqpMap | undefined;
  #body: MessageBody | undefined;
  #footer: AmqpMap | undefined;

  constructor(bytes: Uint8Array, options?: MessageReadOptions) {
    this.#reader = new ByteReader(bytes, options === undefined ? defaults : resolveReadOptions(options).settings);
    this.bytes = bytes;
    this.#borders = scanSections(this.#reader);
    // Nothing but the text before the body is worth reading ahead.
    this.#reader.textEnd = this.#borders[this.#bodyIndex() + 1] ?? bytes.byteLength;
  }

  get header(): MessageHeader | undefined {
    return (this.#header ??= this.#seek(section.header) ? readHeader(this.#reader) : undefined);
  }

  get deliveryAnnotations(): AmqpMap | undefined {
    return (this.#deliveryAnnotations ??= this.#map(section.deliveryAnnotations));
  }

  get messageAnnotations(): AmqpMap | undefined {
    return (this.#messageAnnotations ??= this.#map(section.messageAnnotations));
  }

  get properties(): MessageProperties | undefined {
    return (this.#properties ??= this.#seek(section.properties) ? readProperties(this.#reader) : undefined);
  }

  get applicationProperties(): AmqpMap | undefined {
    return (this.#applicationProperties ??= this.#map(section.applicationProperties));
  }

  get body(): MessageBody | undefined {
    return (this.#body ??= this.#readBody());
  }

  /** The kind of the body; `undefined` when there is none. */
  get bodyKind(): BodyKind | undefined {
    const kind = this.#borders[this.#bodyIndex()];
    return kind === section.data
      ? "data"
      : kind === section.sequence
        ? "sequence"
        : kind === undefined
          ? undefined
          : "value";
  }

  /**
   * The body as the payload of an envelope: the data of all sections one behind the other, the encoded value,
   * or the encoded lists one behind the other; no bytes when there is no body.
   */
  payload(): Uint8Array {
    const first = this.#bodyIndex();
    const kind = this.#borders[first];
    if (kind === undefined) return new Uint8Array(0);
    if (this.#borders[first + 3] !== kind) return this.#content(first, kind);
    const parts: Uint8Array[] = [];
    for (let index = first; this.#borders[index] === kind; index += 3) parts.push(this.#content(index, kind));
    return new Uint8Array(Buffer.concat(parts));
  }

  /** The bytes of a section with its descriptor; of the first one, when there are several. */
  sectionBytes(name: SectionName): Uint8Array | undefined {
    const index = this.#indexOf(section[name]);
    return index === -1 ? undefined : this.bytes.subarray(this.#borders[index + 1], this.#end(index));
  }

  /** The bytes of all sections of the body with their descriptors. */
  bodyBytes(): Uint8Array | undefined {
    const first = this.#bodyIndex();
    const kind = this.#borders[first];
    if (kind === undefined) return undefined;
    let last = first;
    while (this.#borders[last + 3] === kind) last += 3;
    return this.bytes.subarray(this.#borders[first + 1], this.#end(last));
  }

  get footer(): AmqpMap | undefined {
    return (this.#footer ??= this.#map(section.footer));
  }

  /** The sections in their order, with their places in the bytes. */
  borders(): readonly SectionBorder[] {
    const found: SectionBorder[] = [];
    for (let index = 0; index < this.#borders.length; index += 3) {
      found.push({
        name: sectionNames[this.#borders[index] ?? 0] ?? "value",
        start: this.#borders[index + 1] ?? 0,
        content: this.#borders[index + 2] ?? 0,
        end: this.#end(index),
      });
    }
    return found;
  }

  #end(index: number): number {
    return this.#borders[index + 4] ?? this.bytes.byteLength;
  }

  /** Puts the reader on the value of the first section of a kind; false when there is none. */
  #seek(kind: number): boolean {
    const index = this.#indexOf(kind);
    if (index !== -1) this.#enter(index, kind);
    return index !== -1;
  }

  #indexOf(kind: number): number {
    const borders = this.#borders;
    for (let index = 0; index < borders.length; index += 3) if (borders[index] === kind) return index;
    return -1;
  }

  /** Where the borders of the first body section are, or behind the last section. */
  #bodyIndex(): number {
    const borders = this.#borders;
    let index = 0;
    for (; index < borders.length; index += 3) {
      const kind = borders[index] ?? 0;
      if (kind >= section.data) return kind === section.footer ? borders.length : index;
    }
    return index;
  }

  /** The content of one body section: the binary of data, the encoded value of the others. */
  #content(index: number, kind: number): Uint8Array {
    const start = this.#borders[index + 2] ?? 0;
    const head = kind !== section.data ? 0 : this.bytes[start] === 0xa0 ? 2 : 5;
    const { buffer, byteOffset } = this.bytes;
    const view = new Uint8Array(buffer, byteOffset + start + head, this.#end(index) - start - head);
    return this.#reader.settings.copy ? new Uint8Array(view) : view;
  }

  #enter(index: number, kind: number): void {
    this.#reader.seek(this.#borders[index + 2] ?? 0, this.#end(index), paths[kind]);
  }

  #map(kind: number): AmqpMap | undefined {
    if (!this.#seek(kind)) return undefined;
    const map = readTyped(this.#reader, 0);
    return map instanceof AmqpMap ? map : undefined;
  }

  #readBody(): MessageBody | undefined {
    const first = this.#bodyIndex();
    const kind = this.#borders[first];
    if (kind === undefined) return undefined;
    this.#enter(first, kind);
    if (kind === section.value) return { kind: "value", value: readTyped(this.#reader, 0) };
    if (kind === section.data) return { kind: "data", sections: this.#each(first, kind, readData) };
    return { kind: "sequence", sections: this.#each(first, kind, readSequence) };
  }

  /** What `read` makes of each of the sections of a kind, which stand one behind the other. */
  #each<T>(first: number, kind: number, read: (reader: ByteReader) => T): readonly T[] {
    const contents = [read(this.#reader)];
    for (let index = first + 3; this.#borders[index] === kind; index += 3) {
      this.#enter(index, kind);
      contents.push(read(this.#reader));
    }
    return contents;
  }
}

/** The binary of a data section, whose format code the scan has checked. */
function readData(reader: ByteReader): Uint8Array {
  return reader.binary(reader.code() === 0xa0 ? reader.u8() : reader.u32());
}

/** The list of a sequence section. */
function readSequence(reader: ByteReader): readonly AmqpValue[] {
  const list = readTyped(reader, 0);
  return Array.isArray(list) ? list : [];
}

/** The paths of errors in the sections. */
const paths: readonly string[] = sectionNames.map((name) => `$.${name}`);
