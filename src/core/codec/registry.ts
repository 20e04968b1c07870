import { isObject } from "../values/plain-object.ts";
import { checkOption, invalidOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { type ContentType, maxContentTypeLength, parseContentType } from "../content-type/content-type.ts";
import { matchesRange, type MediaRange, specificityOf } from "../content-type/media-range.ts";
import type { BodyKind } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { Codec, Decoder, Encoder } from "./codec.ts";

/** How the decoders were selected: by body kind, exact media type, most specific range, or not at all. */
export type SelectedBy = "bodyKind" | "mediaType" | "mediaRange" | "nothing";

/** The decoders for a content type, and how they were selected. */
export interface Selection {
  readonly selectedBy: SelectedBy;
  /** In order of registration; empty if none was selected. */
  readonly decoders: readonly Decoder[];
  /** The declared content type, or `undefined` if it is missing or invalid. */
  readonly contentType: ContentType | undefined;
  /** Why no decoder was selected: `UnknownContentType` or `InvalidContentType`. */
  readonly problem: SobreError | undefined;
  readonly warnings: readonly string[];
}

/** Finds codecs by content type. */
export interface CodecRegistry {
  readonly decoders: readonly Decoder[];
  readonly encoders: readonly Encoder[];
  /** Never throws; `problem` is the reason why no decoder was selected. */
  select(contentType: string | undefined, bodyKind: BodyKind): Selection;
  /**
   * The encoder for `contentType`, or the first encoder for `undefined` and `""`; for the body kinds `value` and
   * `sequence` the first that writes them, whatever the content type.
   *
   * @throws SobreError `UnknownContentType` or `InvalidContentType`.
   */
  encoderFor(contentType: string | undefined, bodyKind?: BodyKind): EncoderSelection;
}

/** The encoder for a content type, and the parsed content type. */
export interface EncoderSelection {
  readonly encoder: Encoder;
  readonly contentType: ContentType | undefined;
}

/** The maximum number of cached content types, so that hostile input cannot exhaust the memory. */
const cacheSize = 1024;

/**
 * Creates a registry of codecs; several for the same media type are allowed and tried in order.
 *
 * A content type selects the codecs that accept exactly that type, or else those with the most specific range. For
 * bodies of kind `value` and `sequence`, the codecs that read that kind are selected, whatever the content type.
 *
 * @throws SobreError `InvalidArgument` when two codecs have the same name.
 */
export function createCodecRegistry(codecs: readonly (Codec | Decoder | Encoder)[]): CodecRegistry {
  checkOption(
    "codecs",
    codecs,
    is.listOf("codecs, e.g. [json()]", (one) => (isObject(one) ? undefined : "")),
  );
  const names = new Set<string>();
  for (const { name } of codecs) {
    if (names.has(name)) throw new SobreError("InvalidArgument", `Two codecs are named "${name}". Rename one.`);
    names.add(name);
  }
  const decoders = codecs.filter(isDecoder);
  const encoders = codecs.filter(isEncoder);
  const caches: Readonly<Record<BodyKind, Map<string | undefined, Selection>>> = {
    data: new Map(),
    value: new Map(),
    sequence: new Map(),
  };
  const writersOf: Readonly<Record<BodyKind, Map<string | undefined, EncoderSelection>>> = {
    data: new Map(),
    value: new Map(),
    sequence: new Map(),
  };
  return {
    decoders,
    encoders,
    select(contentType, bodyKind) {
      const cache = caches[bodyKind];
      if (cache === undefined) throw unknownBodyKind();
      const known = cache.get(contentType);
      if (known !== undefined) return known;
      return remember(cache, contentType, select(decoders, contentType, bodyKind));
    },
    encoderFor(text, bodyKind = "data") {
      const writers = writersOf[bodyKind];
      if (writers === undefined) throw unknownBodyKind();
      return writers.get(text) ?? remember(writers, text, selectEncoder(encoders, text, bodyKind));
    },
  };
}

const unknownBodyKind = (): SobreError => invalidOption("bodyKind", "must be data, value or sequence");

function remember<V>(cache: Map<string | undefined, V>, contentType: string | undefined, value: V): V {
  if (cache.size >= cacheSize) cache.clear();
  if ((contentType?.length ?? 0) <= maxContentTypeLength) cache.set(contentType, value);
  return value;
}

function select(decoders: readonly Decoder[], text: string | undefined, bodyKind: BodyKind): Selection {
  const { contentType, problem } = parse(text);
  const warnings = (contentType?.skipped ?? []).map(
    (offset) => `The content type parameter at character ${offset} is invalid and was ignored.`,
  );
  if (bodyKind !== "data") {
    const readers = decoders.filter(({ bodyKinds }) => bodyKinds?.includes(bodyKind));
    const none = readers.length === 0 ? unknown(`for a body of kind ${bodyKind}`) : undefined;
    return { selectedBy: none ? "nothing" : "bodyKind", decoders: readers, contentType, problem: none, warnings };
  }
  if (contentType === undefined) return { selectedBy: "nothing", decoders: [], contentType, problem, warnings };
  const { codecs, exact } = specificMatch(decoders, contentType, ({ accepts }) => accepts);
  const none = codecs.length === 0 ? unknown(`for ${contentType.type}`) : undefined;
  return {
    selectedBy: none ? "nothing" : exact ? "mediaType" : "mediaRange",
    decoders: codecs,
    contentType,
    problem: none,
    warnings,
  };
}

function selectEncoder(encoders: readonly Encoder[], text: string | undefined, bodyKind: BodyKind): EncoderSelection {
  const contentType = isDeclared(text) ? parseContentType(text) : undefined;
  if (bodyKind !== "data") {
    const encoder = encoders.find((candidate) => bodyKindsOf(candidate).includes(bodyKind));
    if (encoder !== undefined) return { encoder, contentType };
    throw new SobreError(
      "UnknownContentType",
      `No codec writes bodies of kind ${bodyKind}. Register one that does, e.g. amqp().`,
    );
  }
  const encoder = contentType === undefined ? encoders[0] : specificMatch(encoders, contentType, rangesOf).codecs[0];
  if (encoder !== undefined) return { encoder, contentType };
  throw new SobreError(
    "UnknownContentType",
    `No codec writes ${contentType?.type ?? "anything"}. Register one that does.`,
  );
}

/** Whether a message declares a content type; some brokers and clients send `""` for none. */
function isDeclared(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

function bodyKindsOf(encoder: Encoder | Codec): readonly BodyKind[] {
  return ("bodyKinds" in encoder ? encoder.bodyKinds : undefined) ?? ["data"];
}

function parse(text: string | undefined): {
  readonly contentType: ContentType | undefined;
  readonly problem: SobreError | undefined;
} {
  if (!isDeclared(text)) {
    return {
      contentType: undefined,
      problem: new SobreError("UnknownContentType", "The message declares no content type."),
    };
  }
  try {
    return { contentType: parseContentType(text), problem: undefined };
  } catch (error) {
    if (error instanceof SobreError) return { contentType: undefined, problem: error };
    throw error;
  }
}

function unknown(what: string): SobreError {
  return new SobreError("UnknownContentType", `No codec is registered ${what}.`);
}

function specificMatch<C>(
  codecs: readonly C[],
  contentType: ContentType,
  ranges: (codec: C) => readonly MediaRange[],
): { readonly codecs: readonly C[]; readonly exact: boolean } {
  const ranked = codecs.map((codec) => {
    const matching = ranges(codec).filter((range) => matchesRange(range, contentType));
    return { codec, specificity: Math.max(-1, ...matching.map(specificityOf)) };
  });
  const best = Math.max(0, ...ranked.map(({ specificity }) => specificity));
  const chosen = ranked.filter(({ specificity }) => specificity === best).map(({ codec }) => codec);
  return { codecs: chosen, exact: best >= 300 };
}

/** An encoder that also decodes writes all types that it reads; one that only encodes writes its own type. */
function rangesOf(encoder: Encoder | Codec): readonly MediaRange[] {
  if ("accepts" in encoder) return encoder.accepts;
  return [{ ...splitType(encoder.contentType), parameters: [] }];
}

function splitType(contentType: string): { readonly type: string; readonly subtype: string } {
  const [type = "", subtype = ""] = parseContentType(contentType).type.split("/");
  return { type, subtype };
}

function isDecoder(codec: Codec | Decoder | Encoder): codec is Decoder {
  return "decode" in codec;
}

function isEncoder(codec: Codec | Decoder | Encoder): codec is Encoder {
  return "encode" in codec;
}
