import { parentPort, workerData } from "node:worker_threads";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { WorkerAnswer, WorkerTask } from "./bounded-comparison.ts";
import { chooseSamples } from "./samples/chosen-samples.ts";
import { coverSamples } from "./samples/covering-samples.ts";
import { compareSchemas, samplesOfPair } from "./comparison.ts";

/** Answers one task, in a thread that can be stopped. */
function answer({ name, comparison }: WorkerTask): WorkerAnswer {
  try {
    switch (name) {
      case "compare":
        return { compared: compareSchemas(comparison) };
      case "choose":
        return { chosen: chooseSamples(comparison) };
      case "cover":
        return { covering: coverSamples(comparison) };
      default:
        name satisfies "sample";
        return { samples: samplesOfPair(comparison) };
    }
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    const code = error.code === "LimitExceeded" ? "LimitExceeded" : "InvalidArgument";
    return { code, message: error.message, path: error.path };
  }
}

function tell(message: WorkerAnswer | "started"): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows take a target origin
  parentPort?.postMessage(message);
}

tell("started");
tell(answer(workerData));
