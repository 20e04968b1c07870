import { checkOptions, type OptionChecks, checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { createReadStream, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { defaultDecodeLimits } from "../../core/codec/limits.ts";
import { invalidInput } from "../../core/errors/invalid-input.ts";
import { messageOfPiece } from "./captured-message.ts";
import { reasonOf } from "./file-reason.ts";
import { jsonTextGroups, layoutOf } from "./json-texts.ts";
import type { MigrationSource, SourceMessage, SourcePiece } from "./source.ts";

/** Options of {@link createCaptureSource}. */
export interface CaptureSourceOptions {
  /**
   * Maximum size of one captured message in bytes; a longer one counts as a failure. Default: the size of a 100 MiB
   * payload as base64.
   */
  readonly maxBytes?: number;
}

/** Bytes that are read at a time: a reading takes a turn of the event loop, which is long besides cutting lines. */
const chunkSize = 262_144;

const optionChecks: OptionChecks<CaptureSourceOptions> = { maxBytes: is.countFrom(1) };

/** A payload of maximum size in base64, plus properties. */
const defaultMaxBytes = Math.ceil((defaultDecodeLimits.maxBytes * 4) / 3) + 1024 * 1024;

/**
 * Creates a source from a file of captured messages: envelopes in their JSON form, one per line, or an export of
 * Service Bus Explorer: one message or a list. A broken line does not affect the others.
 *
 * @throws SobreError `InvalidArgument` when the file does not exist.
 */
export function createCaptureSource(path: string, options: CaptureSourceOptions = {}): MigrationSource {
  checkOption("path", path, is.text);
  checkOptions(options, optionChecks);
  const { maxBytes = defaultMaxBytes } = options;
  const size = sizeOf(path);
  async function* pieces(): AsyncGenerator<readonly SourcePiece[]> {
    const layout = layoutOf(await headOf(path));
    let order = 0n;
    for await (const texts of jsonTextGroups(chunksOf(path), layout, maxBytes)) {
      yield texts.map(({ bytes, tooLong, line, end }) => {
        return { id: `${path}:${line}`, order: order++, done: end, bytes, tooLong: tooLong ? maxBytes : undefined };
      });
    }
  }
  return {
    name: path,
    size,
    pieces,
    async *messages(): AsyncGenerator<SourceMessage> {
      for await (const group of pieces()) for (const piece of group) yield messageOfPiece(piece);
    },
  };
}

/** The chunks of a file, in one buffer: a hundred others would wait for a collection. */
async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const buffer = new Uint8Array(chunkSize);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, chunkSize);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
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
