import { parentPort, workerData } from "node:worker_threads";
import { SobreError } from "../../errors/index.ts";
import type { WorkerAnswer } from "./bounded-comparison.ts";
import { compareSchemas, type Comparison } from "./comparison.ts";

/** Answers one comparison, in a thread that can be stopped. */
function answer(comparison: Comparison): WorkerAnswer {
  try {
    return { compared: compareSchemas(comparison) };
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    const code = error.code === "LimitExceeded" ? "LimitExceeded" : "InvalidArgument";
    return { code, message: error.message, path: error.path };
  }
}

function tell(message: WorkerAnswer | "started"): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
  parentPort?.postMessage(message);
}

tell("started");
tell(answer(workerData));
