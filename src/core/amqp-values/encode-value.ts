import { checkNames } from "../options/option-checks.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { ByteWriter } from "./byte-writer.ts";
import { type AmqpExtension, extensionsByDescriptor } from "./extension.ts";
import { microsoftExtensions } from "./microsoft-extensions.ts";
import { withPath } from "./unsupported-value.ts";
import type { Profile } from "./write-number.ts";
import { writeValue, type WriterSettings } from "./write-value.ts";

/** How JavaScript values become AMQP values. */
export interface WriteOptions {
  /**
   * The AMQP types of numbers. `azure`: int, long beyond 32 bits, double for the rest, as .NET, Java and Python have it.
   * `azure-js`: what the official JavaScript client sends, where positive integers are uint and ulong, and members that are
   * `undefined` are null. Default: `azure`.
   */
  readonly profile?: Profile | undefined;
  /** Classes that are written as described types. Default: `microsoftExtensions`. */
  readonly extensions?: readonly AmqpExtension[] | undefined;
}

const optionNames: Readonly<Record<keyof WriteOptions, true>> = { profile: true, extensions: true };

const defaultExtensions = extensionsByDescriptor(microsoftExtensions);
const defaults: WriterSettings = { profile: "azure", extensions: defaultExtensions };

/**
 * The options over the defaults.
 *
 * @throws SobreError `InvalidArgument` for a profile that does not exist.
 */
export function resolveWriteOptions(options?: WriteOptions): WriterSettings {
  if (options === undefined) return defaults;
  const { profile = "azure", extensions } = options;
  if (profile !== "azure" && profile !== "azure-js") {
    throw new SobreError("InvalidArgument", 'The profile must be "azure" or "azure-js".');
  }
  return {
    profile,
    extensions: extensions === undefined ? defaultExtensions : extensionsByDescriptor(extensions),
  };
}

/**
 * Writes a value in AMQP's type system (AMQP 1.0 part 1), in the smallest encoding of its type.
 *
 * Plain values stand for: string, boolean, null (also `undefined`), number as the profile says, bigint long
 * (ulong beyond it), `Date` timestamp, `Uint8Array` binary, array list, and plain object, `Map` and `AmqpMap` map.
 * Members that are `undefined` are left out (in the profile `azure-js` they are null). `Typed` names any other type.
 *
 * @throws SobreError `UnsupportedValue` with the path to what AMQP cannot hold, `InvalidArgument` for wrong options.
 */
export function encodeValue(value: unknown, options?: WriteOptions): Uint8Array {
  if (options !== undefined) checkNames(options, optionNames);
  const settings = resolveWriteOptions(options);
  try {
    return ByteWriter.collect((writer) => writeValue(writer, value, settings, 0));
  } catch (error) {
    throw withPath(error, "$");
  }
}
