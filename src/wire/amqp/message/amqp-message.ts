import { checkNames, checkOption, anObject, oneOf } from "../../../core/options/option-checks.ts";
import { ByteReader, type ReaderSettings } from "../../../core/amqp-values/byte-reader.ts";
import { type ReadOptions, resolveReadOptions } from "../../../core/amqp-values/read-value.ts";
import { readTyped } from "../../../core/amqp-values/read-typed.ts";
import { AmqpMap, type AmqpValue } from "../../../core/values/typed.ts";
import type { BodyKind } from "../../../core/envelope/envelope.ts";
import { emptyHeader, type MessageHeader, readHeader } from "./message-header.ts";
import { type MessageProperties, readProperties } from "./message-properties.ts";
import { section, type SectionName, sectionNames } from "./section.ts";
import { isEmptyAt } from "./section-layout.ts";
import { contentOf, scanSections } from "./section-scan.ts";

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
  /** `undefined` if there is no body, which differs from a null body. */
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
  /** Where the value after the descriptor begins. */
  readonly content: number;
  readonly end: number;
}

/** The names of {@link MessageReadOptions}. */
export const messageReadNames: Readonly<Record<keyof MessageReadOptions, true>> = {
  limits: true,
  maxZeroWidth: true,
  lenient: true,
  copy: true,
};

const defaults = resolveReadOptions().settings;

/** The options over the defaults; options that say nothing of reading, as brokers give them, cost nothing. */
function settingsOf(options: MessageReadOptions | undefined): ReaderSettings {
  if (options === undefined) return defaults;
  checkOption("options", options, anObject);
  const { limits, maxZeroWidth, lenient, copy } = options;
  const isDefault = limits === undefined && maxZeroWidth === undefined && lenient === undefined && copy === undefined;
  return isDefault ? defaults : resolveReadOptions({ limits, maxZeroWidth, lenient, copy }).settings;
}

/**
 * Parses an AMQP message: section boundaries are checked immediately, each section is decoded on first access.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload` or `LimitExceeded` with offset and path; so do the sections
 * later.
 */
export function parseMessage(bytes: Uint8Array, options?: MessageReadOptions): AmqpMessage {
  if (options !== undefined) checkNames(options, messageReadNames);
  return new AmqpMessage(bytes, options);
}

const aSection = oneOf(...Object.keys(section));

/** A received message; see {@link parseMessage}. */
export class AmqpMessage implements MessageSections {
  readonly bytes: Uint8Array;
  readonly #reader: ByteReader;
  /** The result of {@link scanSections}. */
  readonly #borders: readonly number[];
  /** A bit for each section that is there, by its place in `section`. */
  readonly #present: number;
  #header: MessageHeader | undefined;
  #deliveryAnnotations: AmqpMap | undefined;
  #messageAnnotations: AmqpMap | undefined;
  #properties: MessageProperties | undefined;
  #applicationProperties: AmqpMap | undefined;
  #body: MessageBody | undefined;
  #footer: AmqpMap | undefined;

  constructor(bytes: Uint8Array, options?: MessageReadOptions) {
    const reader = new ByteReader(bytes, settingsOf(options));
    const borders = emptyBorders(noSection);
    this.bytes = bytes;
    this.#reader = reader;
    this.#borders = borders;
    this.#present = scanSections(reader, borders);
  }

  get header(): MessageHeader | undefined {
    return (this.#header ??= this.#has(section.header) ? this.#readHeader() : undefined);
  }

  get deliveryAnnotations(): AmqpMap | undefined {
    return (this.#deliveryAnnotations ??= this.#has(section.deliveryAnnotations)
      ? this.#readMap(section.deliveryAnnotations)
      : undefined);
  }

  get messageAnnotations(): AmqpMap | undefined {
    return (this.#messageAnnotations ??= this.#has(section.messageAnnotations)
      ? this.#readMap(section.messageAnnotations)
      : undefined);
  }

  get properties(): MessageProperties | undefined {
    return (this.#properties ??= this.#has(section.properties) ? this.#readProperties() : undefined);
  }

  get applicationProperties(): AmqpMap | undefined {
    return (this.#applicationProperties ??= this.#has(section.applicationProperties)
      ? this.#readMap(section.applicationProperties)
      : undefined);
  }

  get body(): MessageBody | undefined {
    return (this.#body ??= this.#readBody());
  }

  /** The kind of the body; `undefined` when there is none. */
  get bodyKind(): BodyKind | undefined {
    if (this.#has(section.data)) return "data";
    if (this.#has(section.sequence)) return "sequence";
    return this.#has(section.value) ? "value" : undefined;
  }

  /**
   * The body as the payload of an envelope: the data of all sections one after another, the encoded value,
   * or the encoded lists one after another; no bytes when there is no body.
   */
  payload(): Uint8Array {
    const first = this.#bodyIndex();
    const kind = this.#kind(first);
    if (kind === noSection) return new Uint8Array(0);
    if (this.#kind(first + 2) !== kind) return this.#content(first, kind);
    const parts: Uint8Array[] = [];
    for (let index = first; this.#kind(index) === kind; index += 2) parts.push(this.#content(index, kind));
    return new Uint8Array(Buffer.concat(parts));
  }

  /** The bytes of a section with its descriptor; of the first one, when there are several. */
  sectionBytes(name: SectionName): Uint8Array | undefined {
    checkOption("name", name, aSection);
    const index = this.#indexOf(section[name]);
    return index === -1 ? undefined : this.bytes.subarray(this.#start(index), this.#start(index + 2));
  }

  /** The bytes of all sections of the body with their descriptors. */
  bodyBytes(): Uint8Array | undefined {
    const first = this.#bodyIndex();
    const kind = this.#kind(first);
    if (kind === noSection) return undefined;
    let behind = first + 2;
    while (this.#kind(behind) === kind) behind += 2;
    return this.bytes.subarray(this.#start(first), this.#start(behind));
  }

  /** Reads every section, where finding their borders has not shown all that can be wrong. */
  check(): void {
    void [this.header, this.deliveryAnnotations, this.messageAnnotations, this.properties, this.applicationProperties];
    const first = this.#bodyIndex();
    if (this.#kind(first) !== section.data || this.#kind(first + 2) === section.data) void this.body;
    void this.footer;
  }

  get footer(): AmqpMap | undefined {
    return (this.#footer ??= this.#has(section.footer) ? this.#readMap(section.footer) : undefined);
  }

  /** The sections in their order, with their places in the bytes. */
  borders(): readonly SectionBorder[] {
    const found: SectionBorder[] = [];
    for (let index = 0; this.#kind(index) !== noSection; index += 2) {
      const start = this.#start(index);
      const name = sectionNames[this.#kind(index)] ?? "value";
      found.push({ name, start, content: contentOf(this.bytes, start), end: this.#start(index + 2) });
    }
    return found;
  }

  /** Where a section begins, or the end of the message after the last one. */
  #start(index: number): number {
    const start = this.#borders[index + 1] ?? noSection;
    return start === noSection ? this.bytes.byteLength : start;
  }

  #kind(index: number): number {
    return this.#borders[index] ?? noSection;
  }

  // The questions are small and apart from the reading, so that a section that was not sent costs no call.

  #has(kind: number): boolean {
    return (this.#present & (1 << kind)) !== 0;
  }

  #readHeader(): MessageHeader {
    const index = this.#indexOf(section.header);
    if (this.#isEmpty(index)) return emptyHeader;
    this.#enter(index, section.header);
    return readHeader(this.#reader);
  }

  #readProperties(): MessageProperties {
    this.#enter(this.#indexOf(section.properties), section.properties);
    return readProperties(this.#reader);
  }

  #readMap(kind: number): AmqpMap | undefined {
    const index = this.#indexOf(kind);
    if (this.#isEmpty(index)) return emptyMap;
    this.#enter(index, kind);
    const map = readTyped(this.#reader, 0);
    return map instanceof AmqpMap ? map : undefined;
  }

  /** Whether a section is a list or map without items. */
  #isEmpty(index: number): boolean {
    return isEmptyAt(this.bytes, contentOf(this.bytes, this.#start(index)), this.#start(index + 2));
  }

  #indexOf(kind: number): number {
    const borders = this.#borders;
    for (let index = 0; index < borders.length; index += 2) if (borders[index] === kind) return index;
    return -1;
  }

  /** The place of the first body section, or the end of the last section. */
  #bodyIndex(): number {
    const borders = this.#borders;
    let index = 0;
    for (; index < borders.length; index += 2) {
      const kind = borders[index] ?? 0;
      if (kind >= section.data) return kind === section.footer ? borders.length : index;
    }
    return index;
  }

  /** The content of one body section: the binary of data, the encoded value of the others. */
  #content(index: number, kind: number): Uint8Array {
    const start = contentOf(this.bytes, this.#start(index));
    const head = kind !== section.data ? 0 : this.bytes[start] === 0xa0 ? 2 : 5;
    const { buffer, byteOffset } = this.bytes;
    const view = new Uint8Array(buffer, byteOffset + start + head, this.#start(index + 2) - start - head);
    return this.#reader.settings.copy ? new Uint8Array(view) : view;
  }

  #enter(index: number, kind: number): void {
    this.#reader.seek(contentOf(this.bytes, this.#start(index)), this.#start(index + 2), paths[kind]);
  }

  #readBody(): MessageBody | undefined {
    const first = this.#bodyIndex();
    const kind = this.#kind(first);
    if (kind === noSection) return undefined;
    if (kind === section.data) return { kind: "data", sections: this.#data(first) };
    if (kind === section.sequence) return { kind: "sequence", sections: this.#sequences(first) };
    this.#enter(first, kind);
    return { kind: "value", value: readTyped(this.#reader, 0) };
  }

  /** The binaries of the data sections. */
  #data(first: number): readonly Uint8Array[] {
    this.#reader.spend(1);
    const sections = [this.#content(first, section.data)];
    for (let index = first + 2; this.#kind(index) === section.data; index += 2) {
      this.#reader.spend(1);
      sections.push(this.#content(index, section.data));
    }
    return sections;
  }

  /** The lists of the sequence sections. */
  #sequences(first: number): readonly (readonly AmqpValue[])[] {
    const sections: (readonly AmqpValue[])[] = [];
    for (let index = first; this.#kind(index) === section.sequence; index += 2) {
      this.#enter(index, section.sequence);
      const list = readTyped(this.#reader, 0);
      sections.push(Array.isArray(list) ? list : []);
    }
    return sections;
  }
}

/** The kind of a missing section. */
const noSection = -1;

const emptyMap = new AmqpMap();

/** Room for the sections of most messages: an array that grows takes far more. */
const emptyBorders = (none: number): number[] => [none, none, none, none, none, none, none, none, none, none];

/** The paths of errors in the sections. */
const paths: readonly string[] = sectionNames.map((name) => `$.${name}`);
