import { checkNames } from "../options/option-checks.ts";
import { type DecodeLimits, resolveDecodeLimits } from "../codec/limits.ts";
import type { AmqpValue } from "../values/typed.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { ByteReader, type ReaderSettings } from "./byte-reader.ts";
import { type AmqpExtension, type Extensions, extensionsByDescriptor } from "./extension.ts";
import { microsoftExtensions } from "./microsoft-extensions.ts";
import { PlainReader } from "./read-plain.ts";
import { readTyped } from "./read-typed.ts";

/** `typed` keeps every AMQP type; `plain` gives ordinary JavaScript values. */
export type ReadMode = "typed" | "plain";

/** How AMQP values are read. */
export interface ReadOptions {
  /** Default: `typed`. */
  readonly mode?: ReadMode | undefined;
  /** Default: those of every codec. */
  readonly limits?: Partial<DecodeLimits> | undefined;
  /**
   * Maximum number of elements in an array whose elements take no bytes, and of values of its descriptors that elements
   * repeat beyond four for each byte of the payload: no other limit holds them down. Default: 4096.
   */
  readonly maxZeroWidth?: number | undefined;
  /** Tolerates size fields that lie, text that is not UTF-8, and duplicate keys, all of which sloppy peers send. Default: false. */
  readonly lenient?: boolean | undefined;
  /** Whether binary is copied instead of being a view of the bytes. Default: false. */
  readonly copy?: boolean | undefined;
  /** Described types with their own form in plain mode. Default: `microsoftExtensions`. */
  readonly extensions?: readonly AmqpExtension[] | undefined;
}

/** {@link ReadOptions} with the defaults filled in, once for many values. */
export interface ResolvedReadOptions {
  readonly mode: ReadMode;
  readonly settings: ReaderSettings;
  readonly extensions: Extensions;
}

const optionNames: Readonly<Record<keyof ReadOptions, true>> = {
  mode: true,
  limits: true,
  maxZeroWidth: true,
  lenient: true,
  copy: true,
  extensions: true,
};

const defaultExtensions = extensionsByDescriptor(microsoftExtensions);

/**
 * The options over the defaults.
 *
 * @throws SobreError `InvalidArgument` naming a mode that does not exist or a limit that is not an integer from 0 up.
 */
export function resolveReadOptions(options: ReadOptions = {}): ResolvedReadOptions {
  checkNames(options, optionNames);
  const { extensions, mode = "typed", maxZeroWidth = 4096, lenient = false, copy = false } = options;
  if (mode !== "typed" && mode !== "plain") {
    throw new SobreError("InvalidArgument", 'The mode must be "typed" or "plain".');
  }
  if (!Number.isSafeInteger(maxZeroWidth) || maxZeroWidth < 0) {
    throw new SobreError("InvalidArgument", "maxZeroWidth must be an integer from 0 up.");
  }
  return {
    mode,
    settings: { limits: resolveDecodeLimits(options.limits), maxZeroWidth, lenient, copy },
    extensions: extensions === undefined ? defaultExtensions : extensionsByDescriptor(extensions),
  };
}

const defaults = resolveReadOptions();

/**
 * Reads one AMQP value that fills the bytes (AMQP 1.0 part 1).
 *
 * In `typed` mode the result is an `AmqpValue`, which {@link encodeValue} writes with the same types.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload`, `TrailingBytes` or `LimitExceeded`, with offset and path.
 */
export function decodeValue(
  bytes: Uint8Array,
  options?: ReadOptions & { readonly mode?: "typed" | undefined },
): AmqpValue;
export function decodeValue(bytes: Uint8Array, options: ReadOptions): unknown;
export function decodeValue(bytes: Uint8Array, options?: ReadOptions): unknown {
  const resolved = options === undefined ? defaults : resolveReadOptions(options);
  const reader = new ByteReader(bytes, resolved.settings);
  const value = readOne(reader, resolved);
  if (reader.at < reader.end) {
    throw reader.fault(`${reader.end - reader.at} bytes follow the value`, reader.at, "TrailingBytes");
  }
  return value;
}

/**
 * Reads AMQP values that follow each other and fill the bytes.
 *
 * @throws SobreError as {@link decodeValue} does.
 */
export function decodeValues(
  bytes: Uint8Array,
  options?: ReadOptions & { readonly mode?: "typed" | undefined },
): AmqpValue[];
export function decodeValues(bytes: Uint8Array, options: ReadOptions): unknown[];
export function decodeValues(bytes: Uint8Array, options?: ReadOptions): unknown[] {
  const resolved = options === undefined ? defaults : resolveReadOptions(options);
  const reader = new ByteReader(bytes, resolved.settings);
  const values: unknown[] = [];
  while (reader.at < reader.end) {
    reader.seek(reader.at, reader.end);
    values.push(readOne(reader, resolved));
  }
  return values;
}

/** Reads the next value in the mode of the options. */
function readOne(reader: ByteReader, { mode, extensions }: ResolvedReadOptions): unknown {
  return mode === "typed" ? readTyped(reader, 0) : new PlainReader(reader, extensions).read(0);
}
