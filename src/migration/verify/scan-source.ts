import { gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { readJson } from "../../../codecs/dotnet/json/read-json.ts";
import { readNbfxDocument } from "../../../codecs/dotnet/nbfx/read-document.ts";
import { readNrbf } from "../../../codecs/dotnet/nrbf/index.ts";
import { lexical } from "../../../codecs/dotnet/xml/lexical.ts";
import { XmlElement } from "../../../codecs/dotnet/xml/node.ts";
import { readXml } from "../../../codecs/dotnet/xml/read-xml.ts";
import { contentOf } from "../../../codecs/dotnet/data-contract/scalar.ts";
import { byteOrderMark } from "../../../codecs/legacy/byte-order-mark.ts";
import { readStream } from "../../../codecs/java/read-stream.ts";
import { contextAlone } from "../../core/codec/decode-alone.ts";
import { resolveDecodeLimits } from "../../core/codec/limits.ts";
import { type ContentType, parseContentType } from "../../core/content-type/content-type.ts";
import { declaredCharset } from "../../core/content-type/declared-charset.ts";
import { decodeText, markedCharset } from "../../core/content-type/charset.ts";
import { collectJava } from "./java-values.ts";
import { collectJson } from "./json-values.ts";
import { collectNrbf } from "./nrbf-values.ts";
import { isSameJson } from "./same-json.ts";
import { isSameXml } from "./same-xml.ts";
import { collectMsgpack } from "./msgpack-values.ts";
import { knownValue, SourceValues } from "./source-values.ts";
import { bytesKey } from "./value-keys.ts";
import { collectXml } from "./xml-values.ts";

/** How a payload was read. */
export interface SourcePayload {
  readonly payload: Uint8Array;
  /** The declared content type, whose charset applies to text. */
  readonly contentType?: string | undefined;
  /** Layers around the body, outermost first. */
  readonly layers: readonly string[];
  readonly codec: string;
  /** Whether a contract may have assigned types to strings. */
  readonly typed: boolean;
  /** The nodes from the format-level reader, if they are still available. */
  readonly document?: object | undefined;
}

/** The payload was already read within the caller's limits. */
const limits = resolveDecodeLimits({ maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 512, maxItems: 20_000_000 });

/** A tokenized payload. */
export interface SourceTokens {
  /**
   * Whether a body equals these tokens, each in its place and in its plainest form, and nothing else. True for most
   * messages; in the others, each value is looked up.
   */
  isSame(body: unknown): boolean;
  /** The scalars among the tokens. */
  values(): SourceValues;
}

/**
 * Whether values of a codec are checked against the tokens of the payload. Those of Protobuf have no names, and of a field that
 * comes twice the last one counts; what other codecs read is taken as their tokens.
 */
export function hasTokenWalk(codec: string): boolean {
  return codec !== "protobuf";
}

/**
 * The tokens of a payload in terms of its format alone, without contracts or other messages. `undefined` for formats
 * whose values are their tokens.
 */
export function readSource(source: SourcePayload): SourceTokens | undefined {
  const { payload, layers, codec, typed, document } = source;
  let bytes = payload;
  for (const layer of layers) bytes = unwrapped(bytes, layer);
  // Layers contain another document.
  const read = layers.length === 0 ? rootIn(document) : undefined;
  switch (codec) {
    case "nbfx":
    case "datacontract-xml": {
      const root =
        read ?? (codec === "nbfx" ? readNbfxDocument(bytes, limits) : readXml(bytes, limits, typeOf(source))).root;
      const texts = typed ? "typed" : codec === "nbfx" ? "plain" : "guessed";
      return {
        isSame: (body) => isSameXml(root, body, texts),
        values: () => collected((values) => collectXml(root, values, texts)),
      };
    }
    case "json":
    case "datacontract-json": {
      const tape = readJson(textOfPayload(bytes, source), limits, (index) => index);
      return {
        isSame: (body) => isSameJson(tape, body),
        values: () => collected((values) => collectJson(tape, values, { typed })),
      };
    }
    case "json-net": {
      const tape = readJson(textOfPayload(bytes, source), limits, (index) => index);
      return inBag((values) => collectJson(tape, values, { typed: false, jsonNet: true }));
    }
    case "nrbf":
      return inBag((values) => collectNrbf(readNrbf(bytes, limits), values, undefined));
    case "java":
      return inBag((values) => collectJava(readStream(bytes, limits).contents, values));
    case "msgpack":
      return inBag((values) => collectMsgpack(bytes, values));
    case "text":
      return inBag((values) => values.add(knownValue(undefined, "$", [`s${textOfPayload(bytes, source)}`])));
    case "bytes":
      return inBag((values) =>
        values.add(knownValue(undefined, "$", [bytesKey(bytes), `s${bytesKey(bytes).slice(1)}`])),
      );
    default:
      return undefined;
  }
}

function collected(collect: (values: SourceValues) => void): SourceValues {
  const values = new SourceValues();
  collect(values);
  return values;
}

/** For formats whose objects refer to each other in any order. */
function inBag(collect: (values: SourceValues) => void): SourceTokens {
  return { isSame: () => false, values: () => collected(collect) };
}

function rootIn(document: object | undefined): XmlElement | undefined {
  return document !== undefined && "root" in document && document.root instanceof XmlElement
    ? document.root
    : undefined;
}

function textOfPayload(bytes: Uint8Array, source?: SourcePayload): string {
  const wide = bytes[1] === 0 ? "utf-16le" : bytes[0] === 0 ? "utf-16be" : undefined;
  const declared = source && declaredCharset(typeOf(source));
  return decodeText(bytes, markedCharset(bytes) ?? wide ?? (declared === "utf-16" ? undefined : declared) ?? "utf-8");
}

/** The declared type of the innermost document, which only compression leaves alone. */
function typeOf({ contentType, layers }: SourcePayload): ContentType | undefined {
  const isOwn = layers.every((layer) => /^(?:gzip|zlib|deflate|bom)$/.test(layer));
  return contentType === undefined || !isOwn ? undefined : parseContentType(contentType);
}

function unwrapped(bytes: Uint8Array, layer: string): Uint8Array {
  switch (layer) {
    case "gzip":
      return gunzipSync(bytes);
    case "zlib":
      return inflateSync(bytes);
    case "deflate":
      return inflateRawSync(bytes);
    case "nbfx":
      return rootBytes(readNbfxDocument(bytes, limits).root);
    case "datacontract-xml":
      return rootBytes(readXml(bytes, limits).root);
    case "base64":
      return Buffer.from(textOfPayload(bytes), "base64");
    case "nrbf": {
      const { root } = readNrbf(bytes, limits);
      return root.kind === "string" ? utf8(root.value) : bytes;
    }
    case "java": {
      const [root] = readStream(bytes, limits).contents;
      return root?.kind === "string" ? utf8(root.value) : bytes;
    }
    case "json":
    case "datacontract-json": {
      const tape = readJson(textOfPayload(bytes), limits, (index) => index);
      return tape.isString(0) ? utf8(tape.string(0)) : bytes;
    }
    case "bom":
      // The readers of each format handle the other byte-order marks.
      return isUtf32(bytes) ? openedMark(bytes) : bytes;
    default:
      return bytes;
  }
}

function isUtf32(bytes: Uint8Array): boolean {
  const [a, b, c, d] = bytes;
  return (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);
}

function openedMark(bytes: Uint8Array): Uint8Array {
  const opened = byteOrderMark().decode(bytes, contextAlone(limits));
  return "unwrapped" in opened ? opened.unwrapped : bytes;
}

/** The bytes of the text in the root of a document, or those that it contains as base64. */
function rootBytes(root: XmlElement): Uint8Array {
  const { value, type } = contentOf(root);
  const text = lexical(value, type);
  return root.local === "base64Binary" ? Buffer.from(text, "base64") : utf8(text);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
