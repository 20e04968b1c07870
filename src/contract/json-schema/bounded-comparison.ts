import { unescapeToken } from "../../core/json-schema/json-form.ts";
import { Worker } from "node:worker_threads";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Compared, SchemaComparison } from "./compared.ts";
import { compareSchemas, samplesOfPair } from "./comparison.ts";
import { type ChosenSamples, chooseSamples } from "./samples/chosen-samples.ts";
import { coverSamples, type CoveringSamples } from "./samples/covering-samples.ts";
import { isObject } from "./json-value.ts";

/** A task of the worker. */
export interface WorkerTask {
  readonly name: "compare" | "choose" | "cover" | "sample";
  readonly comparison: SchemaComparison;
}

/** The answer of the worker, or the error of a broken schema. */
export type WorkerAnswer =
  | { readonly compared: Compared }
  | { readonly chosen: ChosenSamples | undefined }
  | { readonly covering: CoveringSamples | undefined }
  | { readonly samples: readonly unknown[] }
  | { readonly stopped: string }
  | { readonly code: "InvalidArgument" | "LimitExceeded"; readonly message: string; readonly path: string | undefined };

/** Limits on a schema's text, and on the schemas that apply to one value; a schema beyond them is compared in a worker. */
const maxTextLength = 50_000;
const maxUnfoldedSchemas = 5000;

/** Milliseconds for the worker to load its code, and to run. */
const [maxLoadingTime, maxRunningTime] = [20_000, 30_000];

/**
 * Compares two JSON Schemas within the budget. Comparisons that counting steps cannot bound (large schemas, references
 * that multiply) run in a worker that can be stopped.
 *
 * @throws SobreError `InvalidArgument` for a broken schema.
 */
export async function compareWithin(comparison: SchemaComparison): Promise<Compared> {
  if (![comparison.writer, comparison.reader].some(isCostly)) return compareSchemas(comparison);
  const answer = await inWorker({ name: "compare", comparison });
  if ("compared" in answer) return answer.compared;
  return { verdict: "unproven", refused: [], tried: [stoppedOf(answer)], assumptions: [] };
}

/**
 * {@link chooseSamples} within the budget, as {@link compareWithin} keeps it; none when it was stopped.
 *
 * @throws SobreError `InvalidArgument` for a broken schema, `LimitExceeded` for one too large to read.
 */
export async function chooseSamplesWithin(comparison: SchemaComparison): Promise<ChosenSamples | undefined> {
  if (![comparison.writer, comparison.reader].some(isCostly)) return chooseSamples(comparison);
  const answer = await inWorker({ name: "choose", comparison });
  if ("chosen" in answer) return answer.chosen;
  stoppedOf(answer);
  return undefined;
}

/**
 * {@link coverSamples} within the budget, as {@link compareWithin} keeps it; none when it was stopped.
 *
 * @throws SobreError `InvalidArgument` for a broken schema, `LimitExceeded` for one too large to read.
 */
export async function coverSamplesWithin(comparison: SchemaComparison): Promise<CoveringSamples | undefined> {
  if (!isCostly(comparison.writer)) return coverSamples(comparison);
  const answer = await inWorker({ name: "cover", comparison });
  if ("covering" in answer) return answer.covering;
  stoppedOf(answer);
  return undefined;
}

/**
 * Values that the writer may send, of as many kinds as the schemas distinguish, within the budget.
 *
 * @throws SobreError `InvalidArgument` for a broken schema, `LimitExceeded` for one too large to read.
 */
export async function samplesWithin(comparison: SchemaComparison): Promise<readonly unknown[]> {
  if (![comparison.writer, comparison.reader].some(isCostly)) return samplesOfPair(comparison);
  const answer = await inWorker({ name: "sample", comparison });
  if ("samples" in answer) return answer.samples;
  stoppedOf(answer);
  return [];
}

/** The reason why the worker was stopped. @throws SobreError the error of the worker. */
function stoppedOf(answer: WorkerAnswer): string {
  if ("stopped" in answer) return answer.stopped;
  if (!("code" in answer)) return "the thread for the comparison has answered something else";
  throw new SobreError(answer.code, answer.message, answer.path === undefined ? {} : { path: answer.path });
}

function inWorker(task: WorkerTask): Promise<WorkerAnswer> {
  // Sources run as they are, and are built to .js.
  const file = `./comparison-worker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`;
  const limits = { maxOldGenerationSizeMb: 512 };
  const worker = new Worker(new URL(file, import.meta.url), { workerData: task, resourceLimits: limits });
  let timer: NodeJS.Timeout | undefined;
  return new Promise<WorkerAnswer>((resolve, reject) => {
    const stop = (why: string): void => resolve({ stopped: why });
    const stopAfter = (milliseconds: number, why: string): void => {
      clearTimeout(timer);
      timer = setTimeout(() => stop(why), milliseconds);
    };
    stopAfter(maxLoadingTime, "the thread for the comparison did not start");
    worker.on("message", (received: WorkerAnswer | "started") => {
      if (received === "started")
        stopAfter(maxRunningTime, `the comparison was stopped after ${maxRunningTime / 1000} seconds`);
      else resolve(received);
    });
    worker.once("error", (error) => {
      if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") stop("the comparison ran out of memory");
      else reject(error);
    });
  }).finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}

function isCostly(schema: unknown): boolean {
  try {
    const text = JSON.stringify(schema) ?? "";
    return text.length > maxTextLength || unfolds(schema) > maxUnfoldedSchemas;
  } catch (error) {
    // The comparison refuses a schema that nests too deep.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** How many schemas apply to one value once local references are followed; a schema counts once per path that leads to it. */
function unfolds(root: unknown): number {
  const known = new Map<unknown, number>();
  const count = (schema: unknown): number => {
    if (!isObject(schema)) return 1;
    const before = known.get(schema);
    if (before !== undefined) return before;
    // Counting stops at a schema that leads back to itself.
    known.set(schema, 1);
    const reference = schema["$ref"];
    const target = typeof reference === "string" && reference.startsWith("#/") ? pointed(root, reference) : undefined;
    const parts = ["allOf", "anyOf", "oneOf"].flatMap((name) => listOf(schema[name]));
    // Each alternative of oneOf is compared with every other.
    const excluded = listOf(schema["oneOf"]).length ** 2;
    const others = ["not", "if", "then", "else"].map((name) => schema[name]).filter(isObject);
    const inner = [target, ...parts, ...others].filter(isObject).map(count);
    const total = inner.reduce((sum, one) => sum + one, 1 + excluded);
    known.set(schema, total);
    return total;
  };
  const visit = (schema: unknown): number => {
    if (Array.isArray(schema)) return Math.max(0, ...schema.map(visit));
    return isObject(schema) ? Math.max(count(schema), ...Object.values(schema).map(visit)) : 0;
  };
  return visit(root);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function pointed(root: unknown, reference: string): unknown {
  let at = root;
  for (const token of reference.split("/").slice(1))
    at = isObject(at) || Array.isArray(at) ? Reflect.get(at, unescapeToken(token)) : undefined;
  return at;
}
