import { decodeValues } from "../../core/amqp-values/read-value.ts";
import { toTypedJson, type TypedJson } from "../../../codecs/amqp/typed-json.ts";
import { parseMessage } from "../../wire/amqp/message/amqp-message.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** The JSON output of `sobre inspect`: a message, one value, several values, or the error. */
export type Inspected =
  | { readonly ok: true; readonly sections: readonly TypedJson[] }
  | { readonly ok: true; readonly value: TypedJson }
  | { readonly ok: true; readonly values: readonly TypedJson[] }
  | {
      readonly ok: false;
      readonly code: string;
      readonly offset: number | undefined;
      readonly path: string | undefined;
      readonly message: string;
    };

/** Reads bytes as an AMQP message, or else as AMQP values one after another, with their types. */
export function inspectBytes(bytes: Uint8Array): Inspected {
  const message = attempt(() => readMessage(bytes));
  if (message.ok) return { ok: true, sections: message.result };
  const values = attempt(() => readValues(bytes));
  const [value, ...more] = values.ok ? values.result : [];
  if (value !== undefined && more.length === 0) return { ok: true, value };
  const isMeant = beginsLikeMessage(bytes);
  if (value !== undefined && !isMeant) return { ok: true, values: [value, ...more] };
  // Bytes that begin like a section are meant as a message, whose error says more.
  return failure(values.ok || isMeant ? message : values);
}

/** Reads a line of hex, in which blanks do not count, and says what it is as {@link inspectBytes} does. */
export function inspectHexLine(line: string): Inspected {
  const hex = line.replaceAll(/\s/g, "");
  if (/^(?:[0-9a-f]{2})+$/i.test(hex)) return inspectBytes(Buffer.from(hex, "hex"));
  const message = "The line is not hex. Write two digits per byte, and one value or message per line.";
  return { ok: false, code: "InvalidArgument", offset: undefined, path: undefined, message };
}

type Attempt<T> = { readonly ok: true; readonly result: T } | { readonly ok: false; readonly error: SobreError };

function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { ok: true, result: read() };
  } catch (error) {
    if (error instanceof SobreError) return { ok: false, error };
    throw error;
  }
}

function readMessage(bytes: Uint8Array): readonly TypedJson[] {
  if (bytes.byteLength === 0) throw new SobreError("TruncatedPayload", "The input is empty.", { offset: 0, path: "$" });
  // The borders hold a message to its rules; the sections are values like any other.
  parseMessage(bytes);
  return readValues(bytes);
}

function readValues(bytes: Uint8Array): readonly TypedJson[] {
  return decodeValues(bytes).map(toTypedJson);
}

/** A section's descriptor as a small ulong, as a ulong, or as a symbol. */
// oxlint-disable-next-line no-control-regex -- these are bytes
const sectionStart = /^\x00(?:\x53[\x70-\x78]|\x80\x00{7}[\x70-\x78]|(?:\xa3.|\xb3.{4})amqp:)/s;

function beginsLikeMessage(bytes: Uint8Array): boolean {
  return sectionStart.test(Buffer.from(bytes.subarray(0, 16)).toString("latin1"));
}

function failure(attempted: Attempt<unknown>): Inspected {
  if (attempted.ok) throw new RangeError("Only a failed attempt has an error.");
  const { code, offset, path, message } = attempted.error;
  return { ok: false, code, offset, path, message };
}
