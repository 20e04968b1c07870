import { decodeText } from "../../core/content-type/charset.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { isErrorCode } from "../../core/errors/traits.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { expect } from "./codec-case.ts";

/** Fails the running case unless `error` is what a decoder may throw for `payload`. */
export function expectDecodeError(error: unknown, payload: Uint8Array): SobreError {
  const known = expectSobreError(error);
  const { offset } = known;
  if (offset !== undefined) {
    const inside = Number.isInteger(offset) && offset >= 0 && offset <= payload.length;
    expect(inside, `${known.code} carries the offset ${offset} of a payload of ${payload.length} bytes.`);
  }
  const text = decodeText(payload, "iso-8859-1");
  for (const message of messages(known)) {
    const leaked = quotation(message, text);
    expect(leaked === undefined, `${known.code} quotes the payload: "${leaked}" in "${message}".`);
  }
  return known;
}

/** Fails the running case unless `error` is a `SobreError` with this code (any, when not given) and a message. */
export function expectSobreError(error: unknown, ...codes: readonly ErrorCode[]): SobreError {
  if (!(error instanceof SobreError)) throw new Error(`Threw ${describe(error)} and not a SobreError.`);
  expect(isErrorCode(error.code), `The code ${error.code} is not on the closed list.`);
  expect(error.message !== "", `${error.code} has no message.`);
  const wanted = codes.length === 0 || codes.includes(error.code);
  expect(wanted, `Threw ${error.code} ("${error.message}") where ${codes.join(" or ")} was due.`);
  return error;
}

const quotationLength = 8;

// Member names are payload content. This one is the same in every payload that is refused for it.
const noSecret = "__proto__";

function* messages(error: SobreError): Generator<string> {
  yield error.message.replaceAll(noSecret, "");
  yield error.path?.replaceAll(noSecret, "") ?? "";
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) yield cause.message;
}

function quotation(message: string, text: string): string | undefined {
  for (let at = 0; at + quotationLength <= message.length; at++) {
    const piece = message.slice(at, at + quotationLength);
    if (text.includes(piece)) return piece;
  }
  return undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name} ("${error.message}")` : typeof error;
}
