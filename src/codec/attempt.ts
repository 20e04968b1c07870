import { checkOption, having, maybe, number, text } from "../options/option-checks.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { SobreError } from "../errors/sobre-error.ts";

/** One decoder's try at a payload. */
export interface Attempt {
  /** Name of the decoder. */
  readonly codec: string;
  /** `vetoed`: its `sniff` said no, so it was not asked to decode. */
  readonly outcome: "read" | "unwrapped" | "failed" | "vetoed";
  /** Set when it failed; a veto has none. */
  readonly code: ErrorCode | undefined;
  /** Byte offset at which it stopped, where the format has one. */
  readonly offset: number | undefined;
  /** Why it failed or was not asked, without payload content. */
  readonly message: string | undefined;
}

/** The record of a decoder that read the payload, or a layer of it. */
export function succeeded(codec: string, outcome: "read" | "unwrapped"): Attempt {
  return { codec, outcome, code: undefined, offset: undefined, message: undefined };
}

/** The layers around the body that was read, outermost first; those whose inside nothing read are none. */
export function layersOf(attempts: readonly Attempt[]): readonly string[] {
  const layers: string[] = [];
  for (const { codec, outcome } of attempts) {
    if (outcome === "unwrapped") layers.push(codec);
    else if (outcome === "failed" && layers.at(-1) === codec) layers.pop();
  }
  return layers;
}

/** The record of a decoder that threw `thrown`. */
export function failed(codec: string, thrown: unknown): Attempt {
  const { code, offset, message } = SobreError.from(
    thrown,
    "DecodeFailed",
    `The codec "${codec}" failed on this payload`,
  );
  // That of a content type counts its characters, and not the bytes of the payload.
  const at = code === "InvalidContentType" ? undefined : offset;
  return { codec, outcome: "failed", code, offset: at, message };
}

/** The record of a decoder whose `sniff` said no. */
export function vetoed(codec: string): Attempt {
  return {
    codec,
    outcome: "vetoed",
    code: undefined,
    offset: undefined,
    message: "The first bytes rule this format out.",
  };
}

const anAttempt = having("an attempt of a result", {
  codec: text,
  outcome: text,
  code: maybe(text),
  offset: maybe(number),
  message: maybe(text),
});

/** One line for people, e.g. `json: DecodeFailed at byte 3: …`. */
export function describeAttempt(attempt: Attempt): string {
  checkOption("attempt", attempt, anAttempt);
  const { codec, outcome, code, offset, message } = attempt;
  // Of ten decoders nine may be ruled out, and the others are the story.
  if (code === undefined) return `${codec}: ${outcome === "vetoed" ? "ruled out" : outcome}`;
  return `${codec}: ${code}${offset === undefined ? "" : ` at byte ${offset}`}: ${message}`;
}
