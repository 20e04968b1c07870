import { decodeAlone } from "../../core/codec/decode-alone.ts";
import { defaultDecodeLimits, resolveDecodeLimits } from "../../core/codec/limits.ts";
import type { Encoder } from "../../core/codec/codec.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import type { ContentType } from "../../core/content-type/content-type.ts";
import { json } from "../../../codecs/json/index.ts";
import { valueFromJson } from "../../core/values/value-json-reading.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { oneLine } from "../display.ts";
import { readInput } from "../files.ts";
import { exitCodes, Misuse, type Terminal, unreadable } from "../terminal.ts";

/** The arguments of `sobre encode`. */
export interface EncodeCommand {
  readonly file: string;
  /** The content type that chooses the codec. */
  readonly contentType: string;
}

/**
 * Writes a payload from a value in the JSON rendering that `sobre decode` prints, and none from no input; resolves to the
 * exit code.
 *
 * @throws Misuse for a file that cannot be read, and for a content type that no codec writes.
 */
export async function encodeFile(command: EncodeCommand, serializer: Serializer, terminal: Terminal): Promise<number> {
  const { encoder, contentType } = chooseEncoder(command.contentType, serializer);
  const { file } = command;
  const input = await readInput(file, defaultDecodeLimits.maxBytes).catch(unreadable(file));
  try {
    const payload = input.byteLength === 0 ? input : encodeText(input, encoder, contentType);
    if (terminal.interactive && payload.some((byte) => byte < 0x20 || byte > 0x7e)) {
      throw new Misuse("the payload is binary and standard output is a terminal; redirect it, e.g. > payload.bin");
    }
    await terminal.out(payload);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    terminal.err(`sobre: ${error.code}: ${oneLine(inWordsOfTheCommand(error.message))}\n`);
    return exitCodes.failed;
  }
}

/** Advice with the options of the command line. */
function inWordsOfTheCommand(message: string): string {
  return message
    .replace("by the content-type parameter messageType", "with --message-type")
    .replace("pass one in contracts", "pass one with --contracts");
}

// A rendering nests deeper and has more members than the value, for its $ objects.
const limits = resolveDecodeLimits({ maxDepth: 1000, maxItems: 10_000_000 });

/** The payload of a value in the JSON rendering. @throws SobreError */
export function encodeText(input: Uint8Array, encoder: Encoder, contentType: ContentType | undefined): Uint8Array {
  return encoder.encode(valueFromJson(decodeAlone(json({ protoKey: "keep" }), input, limits)), {
    contentType,
    applicationProperties: {},
  }).payload;
}

function chooseEncoder(text: string, { registry }: Serializer): ReturnType<Serializer["registry"]["encoderFor"]> {
  try {
    return registry.encoderFor(text);
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    if (error.code !== "UnknownContentType") throw new Misuse(`--to: ${error.message}`);
    const known = registry.encoders.map((encoder) => encoder.contentType).join(", ");
    throw new Misuse(`--to: no codec writes ${text}. Expected one of: ${known}`);
  }
}
