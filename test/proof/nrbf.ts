import { nrbf } from "../../codecs/dotnet/nrbf/index.ts";
import { decodeMutated } from "../codecs/legacy-mutation.ts";
import { bytesOf, keptPayloads } from "../codecs/legacy-reading.ts";

const total = 1_000_000;
const least = 10_000;

/** A million mutated BinaryFormatter payloads are read or refused with code and offset, none of them slowly. */
export async function prove(): Promise<string> {
  const seeds = keptPayloads("nrbf")
    .map(bytesOf)
    .filter(({ length }) => length < 1500);
  const { read, refused, slowestMilliseconds } = await Promise.resolve(
    decodeMutated(nrbf(), seeds, { total, seed: 20_261_121, most: 50 }),
  );
  if (read < least || (refused["DecodeFailed"] ?? 0) < least) throw new Error(`Only ${read} were read.`);
  const counts = Object.entries(refused).map(([code, count]) => `${code} ${count}`);
  return `${total} mutated payloads: ${read} read, ${counts.join(", ")}; the slowest took ${slowestMilliseconds.toFixed(1)} ms`;
}
