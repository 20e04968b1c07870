import { deadLetterReasons } from "./dead-letter-reasons.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Json } from "../../core/values/json.ts";
import { valueFromJson } from "../../core/values/value-json-reading.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import type { ClientParts } from "./client-parts.ts";
import type { ProcessorRetries } from "./message-retries.ts";
import type { ProcessorHandlers } from "./processor-handlers.ts";
import { checkOption, checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { Processor } from "./processor-loops.ts";
import type { ReadMessage } from "./received-message.ts";
import {
  sessionChecks,
  type SessionContext,
  type SessionProcessorOptions,
  startSessionProcessor,
} from "./session-processor.ts";

/** One step of a workflow: a message of its session. */
export interface WorkflowStep<State, Message> {
  /** Whether the message starts, continues or ends the workflow, by its subject. */
  readonly kind: "start" | "content" | "end";
  /** The result of the previous step; `undefined` at the start. */
  readonly state: State | undefined;
  readonly message: Message;
  /** Difference between the sequence numbers of this and the first message; other sessions' messages count too. */
  readonly position: bigint;
  readonly context: SessionContext;
}

/** The steps and callbacks of a session workflow. */
export interface WorkflowHandlers<State, Message> extends Pick<ProcessorHandlers, "processError"> {
  /**
   * Takes a step. Its result is stored in the session state before the message is completed: as JSON, with bigints,
   * bytes, dates, maps etc. in the form of `valueToJson`. A value without such a form fails the step.
   */
  processStep(step: WorkflowStep<State, Message>): State | Promise<State>;
}

/** Options of a session workflow. */
export interface SessionWorkflowOptions<Types extends readonly MessageType[] = readonly MessageType[]> extends Omit<
  SessionProcessorOptions<Types>,
  "maxConcurrentCallsPerSession" | "autoCompleteMessages" | "receiveMode" | "retries"
> {
  /** How failed steps are retried; their session waits meanwhile. Default: immediate redelivery. */
  readonly retries?: ProcessorRetries | undefined;
  /** The subjects that start, continue and end a workflow. Default: `start`, `content`, `end`. */
  readonly subjects?: { readonly start: string; readonly content: string; readonly end: string } | undefined;
}

const {
  messageTypes,
  pauseWhen,
  retries,
  maxAutoLockRenewalDurationInMs,
  maxConcurrentSessions,
  sessionIdleTimeout,
  sessionIds,
} = sessionChecks;
const sessionWorkflowChecks: OptionChecks<SessionWorkflowOptions> = {
  messageTypes,
  pauseWhen,
  retries,
  maxAutoLockRenewalDurationInMs,
  maxConcurrentSessions,
  sessionIdleTimeout,
  sessionIds,
  subjects: (value) => (typeof value === "object" && value !== null ? undefined : "must be an object"),
};

/** The stored state of the session. Sequence numbers are decimal strings, since JSON has no 64-bit integers. */
interface StoredProgress {
  readonly start: string;
  readonly last: string;
  readonly ended: boolean;
  /** As `valueToJson` writes it. */
  readonly state?: Json | undefined;
}

/** {@link StoredProgress} with the decoded state. */
interface WorkflowProgress<State> extends Omit<StoredProgress, "state"> {
  readonly state: State | undefined;
}

/**
 * Starts a processor of workflows, one per session; another process can continue them at any message.
 *
 * Progress is stored before a message is completed; if completing fails, the redelivered message is recognised and
 * completed without repeating the step. At the end, the session's state is cleared.
 *
 * @throws SobreError `InvalidArgument` as `startSessionProcessor` does.
 */
export function startSessionWorkflow<State, const Types extends readonly MessageType[] = readonly []>(
  entityPath: string,
  parts: ClientParts,
  handlers: WorkflowHandlers<State, ReadMessage<Types>>,
  options: SessionWorkflowOptions<Types> = {},
): Processor {
  if (typeof handlers !== "object" || handlers === null) throw invalidOption("handlers", "must be an object");
  checkOption("processStep", Reflect.get(handlers, "processStep"), is.aFunction);
  checkOption("processError", handlers.processError, is.aFunction);
  checkOptions(options, sessionWorkflowChecks);
  if (isObject(options.retries) && "holdSession" in options.retries)
    throw invalidOption(
      "retries.holdSession",
      "is not available for workflows, which do not go back to a message before the last one",
    );
  const { subjects = { start: "start", content: "content", end: "end" }, ...sessionOptions } = options;
  const kinds = kindsOf(subjects);
  const processMessage = async (message: ReadMessage<Types>, context: SessionContext): Promise<void> => {
    const { session } = context;
    const { sequenceNumber, subject } = message;
    const before = readProgress<State>(await session.getSessionState());
    if (before !== undefined && sequenceNumber <= BigInt(before.last)) {
      // Earlier messages may be redelivered too, so the mark stays until the last one is.
      if (before.ended && sequenceNumber === BigInt(before.last)) await finish(message, context);
      return;
    }
    const kind = kinds.get(subject);
    const running = before !== undefined && !before.ended ? before : undefined;
    if (kind === undefined || (kind === "start") !== (running === undefined)) {
      const deadLetterErrorDescription = `The subject ${JSON.stringify(subject ?? null)} does not fit a workflow that ${running ? "is under way" : "has not begun"}.`;
      await context.deadLetterMessage(message, {
        deadLetterReason: deadLetterReasons.workflowOutOfOrder,
        deadLetterErrorDescription,
      });
      return;
    }
    const start = running === undefined ? sequenceNumber : BigInt(running.start);
    const step = { kind, state: running?.state, message, position: sequenceNumber - start, context };
    const state = await handlers.processStep(step);
    const ended = kind === "end";
    await session.setSessionState(
      writeProgress({ start: String(start), last: String(sequenceNumber), ended, state: ended ? undefined : state }),
    );
    if (ended) await finish(message, context);
  };
  return startSessionProcessor<Types>(
    entityPath,
    parts,
    { processMessage, processError: (args) => handlers.processError(args) },
    sessionOptions,
  );
}

type Kind = WorkflowStep<unknown, unknown>["kind"];

function kindsOf(subjects: Readonly<Record<Kind, string>>): ReadonlyMap<unknown, Kind> {
  const kinds = new Map<unknown, Kind>();
  for (const kind of ["start", "content", "end"] as const) {
    checkOption(`subjects.${kind}`, subjects[kind], is.text);
    if (kinds.has(subjects[kind])) throw invalidOption(`subjects.${kind}`, "is already the subject of another kind");
    kinds.set(subjects[kind], kind);
  }
  return kinds;
}

/** The mark of the end stays until the message is completed, in case it is redelivered. */
async function finish(message: Delivery, context: SessionContext): Promise<void> {
  await context.completeMessage(message);
  await context.session.setSessionState(undefined);
}

function writeProgress<State>({ state, ...progress }: WorkflowProgress<State>): Uint8Array {
  const kept: StoredProgress = state === undefined ? progress : { ...progress, state: valueToJson(state) };
  return new TextEncoder().encode(JSON.stringify(kept));
}

function readProgress<State>(bytes: Uint8Array | undefined): WorkflowProgress<State> | undefined {
  if (bytes === undefined) return undefined;
  const kept = parsed(bytes);
  if (typeof kept?.start === "string" && typeof kept.last === "string") {
    return { ...kept, state: kept.state === undefined ? undefined : asState<State>(valueFromJson(kept.state)) };
  }
  throw new SobreError(
    "DecodeFailed",
    "The session's state was not written by a workflow. Clear it, or use separate sessions for workflows.",
  );
}

/** The result of an earlier step of this workflow. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters -- sessions carry no types
const asState = <State>(value: unknown): State => value as State;

/** The stored JSON, which {@link readProgress} validates. */
function parsed(bytes: Uint8Array): StoredProgress | null {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}
