import { checkOptions, countFrom, type OptionChecks, checkOption, text as isText } from "../options/option-checks.ts";
import { createReadStream, statSync } from "node:fs";
import { defaultDecodeLimits } from "../codec/limits.ts";
import { invalidInput } from "../errors/invalid-input.ts";
import { capturedMessage, tooLongCapture } from "./captured-message.ts";
import { reasonOf } from "./file-reason.ts";
import { jsonTexts, layoutOf } from "./json-texts.ts";
import type { MigrationSource, SourceMessage } from "./source.ts";

/** Options of {@link createCaptureSource}. */
export interface CaptureSourceOptions {
  /** Most bytes of one captured message; a longer one is a failure of its own. Default: what a payload of 100 MiB takes as base64. */
  readonly maxBytes?: number;
}

const optionChecks: OptionChecks<CaptureSourceOptions> = { maxBytes: countFrom(1) };

/** A payload of the greatest size as base64, and the properties. */
const defaultMaxBytes = Math.ceil((defaultDecodeLimits.maxBytes * 4) / 3) + 1024 * 1024;

/**
 * A file of captured messages as a source: envelopes in their JSON form, one on each line, or what Service Bus Explorer
 * saves: one message, or a list of messages. A line that is broken costs no other.
 *
 * @throws SobreError `InvalidArgument` when there is no file at the path.
 */
export function createCaptureSource(path: string, options: CaptureSourceOptions = {}): MigrationSource {
  checkOption("path", path, isText);
  checkOptions(options, optionChecks);
  const { maxBytes = defaultMaxBytes } = options;
  const size = sizeOf(path);
  return {
    name: path,
    size,
    async *messages(): AsyncGenerator<SourceMessage> {
      const layout = layoutOf(await headOf(path));
      let order = 0n;
      for await (const text of jsonTexts(createReadStream(path), layout, maxBytes)) {
        const content = text.tooLong ? tooLongCapture(text.bytes, maxBytes) : capturedMessage(text.bytes);
        yield { id: `${path}:${text.line}`, order: order++, content, done: text.end };
      }
    },
  };
}

/** The first bytes of a file. */
export async function headOf(path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of createReadStream(path, { end: 4095 })) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    throw invalidInput(`${path} cannot be read`, error, reasonOf(error));
  }
}
