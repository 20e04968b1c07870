import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { AmqpValue } from "../values/typed.ts";

/** A described type with a JavaScript form of its own, in plain mode. */
export interface AmqpExtension {
  /** The symbol that describes it, e.g. `com.microsoft:timespan`. */
  readonly descriptor: string;
  /** The JavaScript form of a described value, or `undefined` to leave it described. */
  read(value: AmqpValue): unknown;
  /** The value to describe, or `undefined` when `value` is not of this type. */
  write(value: object): AmqpValue | undefined;
}

/** Extensions by their descriptors. */
export type Extensions = ReadonlyMap<string, AmqpExtension>;

const someExtensions = is.listOf("extensions, e.g. timespanExtension", is.methods("an extension", "read", "write"));

/** The extensions by their descriptors; of several with one descriptor the last counts. */
export function extensionsByDescriptor(extensions: readonly AmqpExtension[]): Extensions {
  checkOption("extensions", extensions, someExtensions);
  return new Map(extensions.map((extension) => [extension.descriptor, extension]));
}
