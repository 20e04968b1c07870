import { parentPort, workerData } from "node:worker_threads";
import { createTarget } from "../target.ts";
import { TypeProfiles } from "../type-profile.ts";
import { BatchWork } from "./batch-work.ts";
import { BatchPacker, type PackedBatch } from "./packed-batch.ts";
import type { Inferred, Reading, ThreadRequest, ThreadSetup } from "./thread-protocol.ts";

const { module, data, target, ...rest }: ThreadSetup = workerData;
const { reading }: { readonly reading: (data: unknown) => Reading | Promise<Reading> } = await import(module);
const { serializer, hasContract = () => false } = await reading(data);
const work = new BatchWork({ ...rest, serializer, hasContract, target: createTarget(target) });
const packer = new BatchPacker();

/** An answer, and the buffers to transfer rather than copy. */
interface Answer {
  readonly answer: Inferred | PackedBatch;
  readonly moved: readonly ArrayBuffer[];
}

async function answerTo(request: ThreadRequest): Promise<Answer> {
  if (request.kind === "infer") return { answer: { profiles: JSON.stringify(work.infer(request.batch)) }, moved: [] };
  if (request.profiles !== undefined) await work.begin(TypeProfiles.from(JSON.parse(request.profiles)));
  const answer = packer.pack(work.migrate(request.batch));
  return { answer, moved: [answer.messages.buffer, answer.output.buffer] };
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
