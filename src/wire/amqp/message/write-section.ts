import { isBag } from "../../../core/envelope/bag.ts";
import type { ByteWriter } from "../../../core/amqp-values/byte-writer.ts";
import { inside, memberStep, unsupported } from "../../../core/amqp-values/unsupported-value.ts";
import { refuseSymbols, writeColumns, writeValue, type WriterSettings } from "../../../core/amqp-values/write-value.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../core/values/typed.ts";
import { firstDescriptor } from "./section.ts";
import { isSimple } from "./simple-value.ts";

/** Writes the descriptor of a section. */
export function writeDescriptor(writer: ByteWriter, kind: number): void {
  writer.reserve(3);
  const { bytes, at } = writer;
  bytes[at] = 0x00;
  bytes[at + 1] = 0x53;
  bytes[at + 2] = firstDescriptor + kind;
  writer.at = at + 3;
}

/** A map section as a caller gives it: an `AmqpMap`, or an object whose names become the keys. */
export type MapInit = AmqpMap | Readonly<Record<string, AmqpValue | undefined>>;

/**
 * Writes the map of an annotations section or a footer; names become symbols (AMQP 1.0 part 3.2.10).
 *
 * @throws SobreError `UnsupportedValue` for a key that is neither a symbol nor a ulong.
 */
export function writeAnnotations(writer: ByteWriter, annotations: MapInit, settings: WriterSettings): void {
  if (annotations instanceof AmqpMap)
    return writeColumns(writer, [annotations.keys(), annotations.values()], settings, 0, checkAnnotationKey);
  writeMembers(writer, 0xa3, annotations, settings);
}

/**
 * Writes the map of the application properties: keys are strings, values simple types (AMQP 1.0 part 3.2.5).
 *
 * @throws SobreError `UnsupportedValue` with the path to what is neither.
 */
export function writeApplicationProperties(writer: ByteWriter, properties: MapInit, settings: WriterSettings): void {
  if (properties instanceof AmqpMap)
    return writeColumns(writer, [properties.keys(), properties.values()], settings, 0, checkProperty);
  writeMembers(writer, 0xa1, properties, settings);
}

function writeMembers(
  writer: ByteWriter,
  keyCode: number,
  members: Readonly<Record<string, AmqpValue | undefined>>,
  settings: WriterSettings,
): void {
  const mark = writer.open();
  let count = 0;
  let name = "";
  try {
    for (name in members) {
      const value = members[name];
      if (value === undefined) continue;
      if (keyCode === 0xa1) checkSimple(value);
      writer.text(keyCode, name);
      writeValue(writer, value, settings, 1);
      count += 2;
    }
  } catch (error) {
    throw inside(error, memberStep(name));
  }
  if (!isBag(members)) refuseSymbols(members);
  writer.close(mark, 0xc1, count);
}

function checkAnnotationKey(key: AmqpValue | undefined): void {
  if (key instanceof Typed && (key.type === "symbol" || key.type === "ulong")) return;
  throw unsupported("has a key that is neither a symbol nor a ulong, as annotations must");
}

function checkProperty(key: AmqpValue | undefined, value: AmqpValue | undefined): void {
  if (typeof key !== "string")
    throw unsupported("has a key that is not a string; keys of application properties must be");
  checkSimple(value ?? null);
}

function checkSimple(value: AmqpValue): void {
  if (!isSimple(value)) throw unsupported("is an application property but not of a simple type");
}
