import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { SobreError } from "../errors/sobre-error.ts";

/** One decoder's attempt to read a payload. */
export interface Attempt {
  /** The name of the decoder. */
  readonly codec: string;
  /** `vetoed`: its `sniff` returned `no`, so `decode` was not called. */
  readonly outcome: "read" | "unwrapped" | "failed" | "vetoed";
  /** The error code, only when it failed. */
  readonly code: ErrorCode | undefined;
  /** The byte offset at which it failed, if known. */
  readonly offset: number | undefined;
  /** Why it failed or was ruled out, without payload content. */
  readonly message: string | undefined;
}

/** The record of a decoder that read the payload, or a layer of it. */
export function succeeded(codec: string, outcome: "read" | "unwrapped"): Attempt {
  return { codec, outcome, code: undefined, offset: undefined, message: undefined };
}

/** The record of a decoder that threw `thrown`. */
export function failed(codec: string, thrown: unknown): Attempt {
  const { code, offset, message } = SobreError.from(
    thrown,
    "DecodeFailed",
    `The codec "${codec}" failed on this payload`,
  );
  // The offset of a content type error counts characters of the content type, not bytes of the payload.
  const at = code === "InvalidContentType" ? undefined : offset;
  return { codec, outcome: "failed", code, offset: at, message };
}

/** The record of a decoder whose `sniff` returned `no`. */
export function vetoed(codec: string): Attempt {
  return {
    codec,
    outcome: "vetoed",
    code: undefined,
    offset: undefined,
    message: "The first bytes rule this format out.",
  };
}

const anAttempt = is.having("an attempt from a result", {
  codec: is.text,
  outcome: is.text,
  code: is.maybe(is.text),
  offset: is.maybe(is.number),
  message: is.maybe(is.text),
});

/** A readable line, e.g. `json: DecodeFailed at byte 3: …`. */
export function describeAttempt(attempt: Attempt): string {
  checkOption("attempt", attempt, anAttempt);
  return attemptText(attempt);
}

/** The same for an attempt that the chain has made: every unreadable message comes this way. */
export function attemptText({ codec, outcome, code, offset, message }: Attempt): string {
  // Most decoders may have been ruled out; the others are worth reading.
  if (code === undefined) return `${codec}: ${outcome === "vetoed" ? "ruled out" : outcome}`;
  return `${codec}: ${code}${offset === undefined ? "" : ` at byte ${offset}`}: ${message}`;
}
