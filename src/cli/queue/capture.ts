import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { type PeekRange, peekPages } from "../../core/engine/peek-pages.ts";
import { deliveryToJson } from "../../core/engine/delivery-json.ts";
import { parsedJson } from "../../core/values/json.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { appendTo } from "../files.ts";
import { counted, wrapped } from "../display.ts";
import { atEndpoint, type EndpointRequest } from "./endpoint.ts";
import { exitCodes, Misuse, type Terminal } from "../terminal.ts";

/** Which messages `sobre capture` copies, and the file. */
export interface CaptureRequest extends PeekRange, EndpointRequest {
  readonly file: string;
}

/** The progress of a capture. */
interface CapturePosition {
  /** Which messages are captured. */
  readonly source: string;
  /** The first sequence number that is not in the file. */
  readonly next: bigint;
  /** Bytes of the file up to there. */
  readonly bytes: number;
}

/** Appends envelopes to a file without removing the messages; resolves to the exit code. */
export function captureMessages(request: CaptureRequest, terminal: Terminal): Promise<number> {
  return atEndpoint(request, terminal, async ({ engine, entity, address }) => {
    const { file, session } = request;
    const source = session === undefined ? address : `${address} session ${session}`;
    const place = await placeOf(file, source);
    let fromSequenceNumber = request.from ?? place.next;
    // Anything after the last position was cut off while it was written.
    const output = await appendTo(file, place.bytes);
    let count = 0;
    try {
      await savePlace(file, { source, next: fromSequenceNumber, bytes: output.size });
      for await (const deliveries of peekPages(engine, entity, { ...request, from: fromSequenceNumber })) {
        const lines = deliveries.map((delivery) => `${JSON.stringify(deliveryToJson(delivery))}\n`);
        await output.append(lines.join(""));
        fromSequenceNumber = (deliveries.at(-1)?.sequenceNumber ?? fromSequenceNumber) + 1n;
        await savePlace(file, { source, next: fromSequenceNumber, bytes: output.size });
        count += deliveries.length;
      }
    } finally {
      await output.close();
    }
    const summary = `${counted(count, "message")} of ${entity} captured in ${file}; the next is #${fromSequenceNumber}`;
    await terminal.out(wrapped(summary, terminal));
    return exitCodes.done;
  });
}

const placeFile = (file: string): string => `${file}.next`;

/** @throws Misuse when the file is not a capture of these messages. */
async function placeOf(file: string, source: string): Promise<CapturePosition> {
  const text = await readFile(placeFile(file), "utf8").catch(() => undefined);
  const { size = 0 } = (await stat(file).catch(() => undefined)) ?? {};
  if (text === undefined) {
    if (size === 0) return { source, next: 0n, bytes: 0 };
    throw new Misuse(`${file} exists but cannot be continued: ${placeFile(file)} is missing. Choose another file`);
  }
  const place = readPlace(text);
  if (place === undefined || place.source !== source)
    throw new Misuse(`${file} is a capture of ${place?.source ?? "another entity"}. Choose another file`);
  if (size >= place.bytes) return place;
  throw new Misuse(`${file} is shorter than ${placeFile(file)} says. Delete both to start over`);
}

/** The address of the entity whose messages a file has, if its position file still matches. */
export async function capturedFrom(file: string): Promise<string | undefined> {
  const text = await readFile(placeFile(file), "utf8").catch(() => undefined);
  return text === undefined ? undefined : readPlace(text)?.source.replace(/ session .*$/s, "");
}

function readPlace(text: string): CapturePosition | undefined {
  const json = parsedJson(text);
  const { source, next, bytes }: Partial<Record<string, unknown>> = isObject(json) ? json : {};
  if (typeof source !== "string" || typeof next !== "string" || typeof bytes !== "number") return undefined;
  return /^\d+$/.test(next) ? { source, next: BigInt(next), bytes } : undefined;
}

async function savePlace(file: string, { source, next, bytes }: CapturePosition): Promise<void> {
  const path = placeFile(file);
  await writeFile(`${path}~`, `${JSON.stringify({ source, next: String(next), bytes })}\n`);
  await rename(`${path}~`, path);
}
