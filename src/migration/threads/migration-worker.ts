import { parentPort, workerData } from "node:worker_threads";
import { createTarget } from "../target/target.ts";
import { TypeProfiles } from "../infer/type-profile.ts";
import { BatchWork } from "./batch-work.ts";
import { freeBytes } from "./free-bytes.ts";
import { BatchPacker, type PackedBatch } from "./packed-batch.ts";
import type { Inferred, ThreadReading, ThreadRequest, MigrationThreadSetup } from "./thread-protocol.ts";

const { module, data, target, ...rest }: MigrationThreadSetup = workerData;
const { reading }: { readonly reading: (data: unknown) => ThreadReading | Promise<ThreadReading> } = await import(
  module
);
const { serializer, hasContract = () => false } = await reading(data);
const work = new BatchWork({ ...rest, serializer, hasContract, target: createTarget(target) });
const packer = new BatchPacker();

/** An answer, and the buffers to transfer rather than copy. */
interface TransferredAnswer {
  readonly answer: Inferred | PackedBatch;
  readonly moved: readonly ArrayBuffer[];
}

/** The profiles of the batches of all threads, in order. */
const allProfiles = new TypeProfiles();

function profilesIn(json: string): TypeProfiles {
  return TypeProfiles.from(JSON.parse(json));
}

function inferred(profiles: TypeProfiles): TransferredAnswer {
  const bytes = new TextEncoder().encode(JSON.stringify(profiles));
  return { answer: { inferred: bytes }, moved: [bytes.buffer] };
}

async function answerTo(request: ThreadRequest): Promise<TransferredAnswer> {
  if (request.kind === "all") return inferred(allProfiles);
  if (request.kind === "add") {
    allProfiles.add(profilesIn(Buffer.from(request.inferred).toString("utf8")));
    return { answer: { inferred: new Uint8Array() }, moved: [] };
  }
  const { batch } = request;
  if (request.kind === "infer") {
    const profiles = work.infer(batch);
    freeBytes(batch.bytes);
    return inferred(profiles);
  }
  if (request.profiles !== undefined) await work.begin(profilesIn(request.profiles));
  const answer = packer.pack(work.migrate(batch));
  freeBytes(batch.bytes);
  return { answer, moved: [answer.entries.buffer, answer.output.buffer] };
}

/** Answers a request after the previous one, which may still be loading something. */
async function post(request: ThreadRequest, before: Promise<void>): Promise<void> {
  await before;
  const { answer, moved } = await answerTo(request);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origins
  parentPort?.postMessage(answer, moved);
}

let last: Promise<void> = Promise.resolve();
parentPort?.on("message", (request: ThreadRequest) => {
  last = post(request, last);
});
