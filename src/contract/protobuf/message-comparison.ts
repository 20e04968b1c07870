import type { StepMeter } from "../meter.ts";
import type { ProtobufPolicy } from "../options.ts";
import { describe, shownDefault } from "./field-description.ts";
import { keySamples, samplesOf } from "./kinds.ts";
import { lossInJson, type ReadingLoss, lossOnWire, type Sent } from "./reading.ts";
import {
  clashingFields,
  type FieldReason,
  isKept,
  isUnsetAlike,
  pairKey,
  type RelatedPair,
  takerOf,
} from "./relation.ts";
import type { ProtobufSchema } from "./schema.ts";
import { type ComparedField, isReserved, type ComparedMessage } from "./shape.ts";

/** A value that the writer may send and the reader changes or refuses, or a rule about schemas that is broken. */
export interface ProtobufChange {
  readonly code: string;
  readonly message: string;
  readonly repair: string;
  readonly writerPlace: string;
  readonly readerPlace: string;
  readonly sent?: {
    readonly type: string;
    readonly value: Readonly<Record<string, unknown>>;
    readonly payload: Uint8Array;
    readonly codec: "protobuf" | "json";
    readonly outcome: string;
  };
}

/** Both schemas, and what must stay compatible. */
export interface Sides {
  readonly writer: ProtobufSchema;
  readonly reader: ProtobufSchema;
  readonly policy: ProtobufPolicy;
  /** Whether the reader is the older version, so that what it lacks was added later and is skipped. */
  readonly readerIsOlder: boolean;
  readonly meter: StepMeter;
}

/** The maximum number of values in a message that is shown. */
const maxValues = 500;

interface OpenPair extends RelatedPair {
  readonly fields: Map<number, FieldReason>;
}

/** Compares pairs of message types and all pairs inside them. */
export class MessageComparison {
  readonly relation: Map<string, RelatedPair> = new Map();
  readonly #open: OpenPair[] = [];
  readonly changes: ProtobufChange[] = [];
  /** Changes that could neither be proven safe nor shown to break. */
  readonly doubts: string[] = [];
  readonly #sides: Sides;

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  compare(writer: ComparedMessage, reader: ComparedMessage): void {
    this.#relate(writer, reader);
    // Messages may contain one another in rings of any length.
    for (let next = this.#open.shift(); next !== undefined; next = this.#open.shift()) this.#compareOne(next);
  }

  #relate(writer: ComparedMessage, reader: ComparedMessage): void {
    const key = pairKey(writer, reader);
    if (this.relation.has(key)) return;
    const pair = { writer, reader, fields: new Map<number, FieldReason>() };
    this.relation.set(key, pair);
    this.#open.push(pair);
  }

  #compareOne(pair: OpenPair): void {
    const { writer, reader } = pair;
    if (this.#isLate()) return;
    if (writer.isMessageSet !== reader.isMessageSet)
      this.doubts.push(`${writer.name} is a message set on one side only, which protobufjs does not encode.`);
    for (const field of writer.fields) {
      if (this.#isLate()) return;
      const other = reader.byNumber.get(field.number);
      if (other === undefined) this.#removed(field, pair);
      else this.#field(field, other, pair);
    }
    this.#required(writer, reader);
    for (const [field, other] of clashingFields(writer, reader)) {
      if (this.#isLate()) return;
      this.#oneof([field, other], writer, reader);
    }
  }

  /** Fields that are left when the budget ends stay undecided. */
  #isLate(steps = 1): boolean {
    if (this.#sides.meter.take(steps)) return false;
    const doubt = "The comparison has used up its budget of steps before all fields were compared.";
    if (this.doubts.at(-1) !== doubt) this.doubts.push(doubt);
    return true;
  }

  #removed(field: ComparedField, { writer, reader, fields }: OpenPair): void {
    const taker = takerOf(field, reader, this.#sides.policy);
    if (taker !== undefined) {
      const values = samplesOf(field).map((sample) => this.#baseline(writer, field, sample));
      this.#found(lossInJson, values, {
        writer,
        reader,
        code: "json-name-taken",
        message: `${writer.name}.${field.name} (${field.number}) is written to JSON as ${field.jsonName}, which the reader takes for its field ${taker.number}.`,
        repair: `Give ${reader.name}.${taker.name} a JSON name that no other field has had.`,
        field,
      });
    }
    if (this.#sides.readerIsOlder) {
      fields.set(field.number, "left out");
      return;
    }
    // A name that another field has cannot be reserved.
    const isTaken = reader.fields.some(({ name }) => name === field.name);
    const named = this.#sides.policy === "wire" || isTaken || reader.reserved.names.includes(field.name);
    const isFree = !isReserved(reader.reserved, field.number);
    if (!isFree && named) {
      fields.set(field.number, "left out, and set aside");
      return;
    }
    const what = isFree ? "number" : "name";
    const missing = [isFree ? `reserved ${field.number};` : "", named ? "" : `reserved ${JSON.stringify(field.name)};`];
    this.#found(lossOnWire, [this.#baseline(writer, field, samplesOf(field)[0])], {
      writer,
      reader,
      code: `field-removed-${what}-free`,
      message: `${writer.name}.${field.name} (${field.number}) is gone and its ${what} is not reserved: values of it are dropped now, and misread once it is used again.`,
      repair: `Add to ${reader.name}: ${missing.join(" ").trim()}`,
      field,
    });
  }

  #field(field: ComparedField, other: ComparedField, { writer, reader, fields }: OpenPair): void {
    const { policy } = this.#sides;
    if (field.message && other.message) this.#relate(field.message, other.message);
    if (!isUnsetAlike(field, other)) this.#unset(field, other, { writer, reader, fields });
    if (isKept(field, other, { relation: this.relation, policy })) {
      fields.set(field.number, "read as it is");
      return;
    }
    const [first] = samplesOf(field);
    const keys = field.label === "map" ? keySamples(field.keyKind).slice(1) : [];
    const values = [
      ...samplesOf(field).map((sample) => this.#baseline(writer, field, sample)),
      ...keys.map((key) => this.#baseline(writer, field, first, { key })),
    ];
    const twice =
      field.label === "many"
        ? samplesOf(field).map((sample) => this.#baseline(writer, field, sample, { times: 2 }))
        : [];
    const about = { writer, reader, field, ...describe(field, other, writer.name) };
    const before = this.changes.length;
    this.#found(lossOnWire, [...values, ...twice], about, policy !== "wire");
    if (policy !== "wire" && this.changes.length === before) this.#found(lossInJson, [...values, ...twice], about);
  }

  /** Checks the defaults, which no message carries: each side applies its own. */
  #unset(field: ComparedField, other: ComparedField, { writer, reader }: RelatedPair): void {
    const value = this.#baseline(writer);
    const [meant, read] = [field, other].map(shownDefault);
    this.changes.push({
      code: "field-default-changed",
      message: `${writer.name}.${field.name} (${field.number}) means ${meant} to the writer where it is left out, and ${read} to the reader.`,
      repair: "Keep the default, or add a field with a new number.",
      writerPlace: `${writer.name}.${field.name}`,
      readerPlace: `${reader.name}.${other.name}`,
      sent: {
        type: writer.name,
        value,
        payload: this.#sides.writer.encode(writer.name, value),
        codec: "protobuf",
        outcome: `reads ${read} for field ${field.number}, which was left out, instead of ${meant}`,
      },
    });
  }

  #required(writer: ComparedMessage, reader: ComparedMessage): void {
    for (const field of reader.fields) {
      if (!field.required || writer.byNumber.get(field.number)?.required === true) continue;
      this.#found(lossOnWire, [this.#baseline(writer)], {
        writer,
        reader,
        field,
        code: "field-required",
        message: `${reader.name}.${field.name} (${field.number}) is required, and the writer may leave it out.`,
        repair: "Make the field optional.",
      });
    }
  }

  #oneof(
    [field, other]: readonly [ComparedField, ComparedField],
    writer: ComparedMessage,
    reader: ComparedMessage,
  ): void {
    const both = {
      ...this.#baseline(writer, field, samplesOf(field)[0]),
      ...this.#baseline(writer, other, samplesOf(other)[0]),
    };
    const oneof = reader.byNumber.get(field.number)?.oneof ?? "";
    this.#found(lossOnWire, [both], {
      writer,
      reader,
      field,
      code: "oneof-joined",
      message: `${writer.name}.${field.name} and ${other.name} may be set together, and the reader keeps one of them: it has both in the oneof ${oneof}.`,
      repair: "Keep the fields out of a common oneof, or give the oneof new fields.",
    });
  }

  /** A message with `field` and all required fields set, as far as that is finite: a message may require itself. */
  #baseline(
    shape: ComparedMessage,
    field?: ComparedField,
    sample?: unknown,
    { times = 1, key }: { readonly times?: number; readonly key?: string } = {},
    room = { left: maxValues },
  ): Readonly<Record<string, unknown>> {
    const entries = shape.fields.flatMap((each): readonly (readonly [string, unknown])[] => {
      if ((each !== field && !each.required) || --room.left < 0) return [];
      const value = each === field ? sample : samplesOf(each)[0];
      const filled = each.message ? this.#baseline(each.message, undefined, undefined, {}, room) : value;
      if (each.label === "many") return [[each.name, Array.from({ length: each === field ? times : 1 }, () => filled)]];
      const name = (each === field ? key : undefined) ?? keySamples(each.keyKind)[0] ?? "";
      return [[each.name, each.label === "map" ? { [name]: filled } : filled]];
    });
    return Object.fromEntries(entries);
  }

  #found(
    lossOf: (value: Readonly<Record<string, unknown>>, writer: Sent, reader: Sent) => ReadingLoss,
    values: readonly Readonly<Record<string, unknown>>[],
    about: Pick<RelatedPair, "writer" | "reader"> &
      Pick<ProtobufChange, "code" | "message" | "repair"> & { readonly field: ComparedField },
    quiet = false,
  ): void {
    const { writer, reader, field, code, message, repair } = about;
    const places = {
      writerPlace: `${writer.name}.${field.name}`,
      readerPlace: `${reader.name}.${reader.byNumber.get(field.number)?.name ?? ""}`.replace(/\.$/, ""),
    };
    for (const value of values) {
      if (this.#isLate(writer.fields.length + reader.fields.length)) return;
      const loss = this.#lossIfSent(() =>
        lossOf(value, { schema: this.#sides.writer, shape: writer }, { schema: this.#sides.reader, shape: reader }),
      );
      if (loss === undefined) continue;
      const codec = lossOf === lossInJson ? "json" : "protobuf";
      this.changes.push({ code, message, repair, ...places, sent: { type: writer.name, value, codec, ...loss } });
      return;
    }
    if (!quiet) this.doubts.push(`${message} None of ${values.length} values was changed.`);
  }

  /** The loss, or none and a doubt where the value to try cannot be written, e.g. of a message that requires itself. */
  #lossIfSent(lossOf: () => ReadingLoss): ReadingLoss {
    try {
      return lossOf();
    } catch {
      const doubt = "A message to try cannot be written, because it requires itself or too many others.";
      if (!this.doubts.includes(doubt)) this.doubts.push(doubt);
      return undefined;
    }
  }
}
