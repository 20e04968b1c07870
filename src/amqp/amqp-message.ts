import { ByteReader } from "../../codecs/amqp/byte-reader.ts";
import { type ReadOptions, resolveReadOptions } from "../../codecs/amqp/read-value.ts";
import { readTyped } from "../../codecs/amqp/read-typed.ts";
import { AmqpMap, type AmqpValue } from "../envelope/index.ts";
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
    const borders = this.#borders;
    for (let index = 0; index < borders.length; index += 3) {
      if (borders[index] !== kind) continue;
      this.#enter(index, kind);
      return true;
    }
    return false;
  }

  #enter(index: number, kind: number): void {
    this.#reader.seek(this.#borders[index + 2] ?? 0, this.#end(index), `$.${sectionNames[kind]}`);
  }

  #map(kind: number): AmqpMap | undefined {
    if (!this.#seek(kind)) return undefined;
    const map = readTyped(this.#reader, 0);
    return map instanceof AmqpMap ? map : undefined;
  }

  #readBody(): MessageBody | undefined {
    const borders = this.#borders;
    const reader = this.#reader;
    const data: Uint8Array[] = [];
    const lists: (readonly AmqpValue[])[] = [];
    let value: MessageBody | undefined;
    for (let index = 0; index < borders.length; index += 3) {
      const kind = borders[index] ?? 0;
      if (kind < section.data || kind > section.value) continue;
      this.#enter(index, kind);
      const content = readTyped(reader, 0);
      if (kind === section.value) value = { kind: "value", value: content };
      else if (content instanceof Uint8Array) data.push(content);
      else if (Array.isArray(content)) lists.push(content);
    }
    if (data.length > 0) return { kind: "data", sections: data };
    return lists.length > 0 ? { kind: "sequence", sections: lists } : value;
  }
}
