import type { Delivery } from "../engine/delivery.ts";
import type { Json } from "../values/json.ts";
import { valueFromJson } from "../values/value-json-reading.ts";
import { valueToJson } from "../values/value-json.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { MessageType } from "../message/message-type.ts";
import type { ClientParts } from "./client-parts.ts";
import type { ProcessorHandlers } from "./message-work.ts";
import {
  aFunction,
  checkOption,
  checkOptions,
  invalidOption,
  type OptionChecks,
  text,
} from "../options/option-checks.ts";
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
  /** Whether the message begins the workflow, goes on with it or ends it, by its subject. */
  readonly kind: "start" | "content" | "end";
  /** The result of the previous step; `undefined` at the start. */
  readonly state: State | undefined;
  readonly message: Message;
  /** How far the message is behind the first one, by their sequence numbers; other sessions' messages count in between. */
  readonly position: bigint;
  readonly context: SessionContext;
}

/** The steps and callbacks of a session workflow. */
export interface WorkflowHandlers<State, Message> extends Pick<ProcessorHandlers, "processError"> {
  /**
   * Takes a step; what it resolves to is kept in the session before the message is completed: as JSON, and what JSON lacks
   * in the form of `valueToJson`, such as bigints, bytes, dates and maps. What has no such form fails the step.
   */
  processStep(step: WorkflowStep<State, Message>): State | Promise<State>;
}

/** Options of a session workflow. */
export interface SessionWorkflowOptions<Types extends readonly MessageType[] = readonly MessageType[]> extends Omit<
  SessionProcessorOptions<Types>,
  "maxConcurrentCallsPerSession" | "autoCompleteMessages" | "receiveMode"
> {
  /** The subjects that begin, continue and end a workflow. Default: `start`, `content`, `end`. */
  readonly subjects?: { readonly start: string; readonly content: string; readonly end: string } | undefined;
}

const { messageTypes, maxAutoLockRenewalDurationInMs, maxConcurrentSessions, sessionIdleTimeoutInMs, sessionIds } =
  sessionChecks;
const checks: OptionChecks<SessionWorkflowOptions> = {
  messageTypes,
  maxAutoLockRenewalDurationInMs,
  maxConcurrentSessions,
  sessionIdleTimeoutInMs,
  sessionIds,
  subjects: (value) => (typeof value === "object" && value !== null ? undefined : "must be an object"),
};

/** The dead-letter reason of messages that come before a start, after an end, or with another subject. */
export const workflowOutOfOrder = "WorkflowOutOfOrder";

/** The state kept in the session. Sequence numbers are decimal text, since JSON has no such integers. */
interface Kept {
  readonly start: string;
  readonly last: string;
  readonly ended: boolean;
  /** As `valueToJson` writes it. */
  readonly state?: Json | undefined;
}

/** {@link Kept} with the state as it was given. */
interface Progress<State> extends Omit<Kept, "state"> {
  readonly state: State | undefined;
}

/**
 * Starts a processor of workflows, one per session, that another process can go on with at any message.
 *
 * Progress is written before a message is completed; when completing fails, the message that comes again is known and
 * completed without a second step. At the end the session's state is cleared.
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
  checkOption("processStep", Reflect.get(handlers, "processStep"), aFunction);
  checkOption("processError", handlers.processError, aFunction);
  checkOptions(options, checks);
  const { subjects = { start: "start", content: "content", end: "end" }, ...sessionOptions } = options;
  const kinds = kindsOf(subjects);
  const processMessage = async (message: ReadMessage<Types>, context: SessionContext): Promise<void> => {
    const { session } = context;
    const { sequenceNumber, subject } = message;
    const before = readProgress<State>(await session.getSessionState());
    if (before !== undefined && sequenceNumber <= BigInt(before.last)) {
      // Those before the last may come again too, so that the mark stays until it is the last one's turn.
      if (before.ended && sequenceNumber === BigInt(before.last)) await finish(message, context);
      return;
    }
    const kind = kinds.get(subject);
    const running = before !== undefined && !before.ended ? before : undefined;
    if (kind === undefined || (kind === "start") !== (running === undefined)) {
      const deadLetterErrorDescription = `The subject ${JSON.stringify(subject ?? null)} does not fit a workflow that ${running ? "is under way" : "has not begun"}.`;
      await context.deadLetterMessage(message, {
        deadLetterReason: workflowOutOfOrder,
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
    checkOption(`subjects.${kind}`, subjects[kind], text);
    if (kinds.has(subjects[kind])) throw invalidOption(`subjects.${kind}`, "is another one's already");
    kinds.set(subjects[kind], kind);
  }
  return kinds;
}

/** Until the message is completed, the mark of the end must be there for it to come again. */
async function finish(message: Delivery, context: SessionContext): Promise<void> {
  await context.completeMessage(message);
  await context.session.setSessionState(undefined);
}

function writeProgress<State>({ state, ...progress }: Progress<State>): Uint8Array {
  const kept: Kept = state === undefined ? progress : { ...progress, state: valueToJson(state) };
  return new TextEncoder().encode(JSON.stringify(kept));
}

function readProgress<State>(bytes: Uint8Array | undefined): Progress<State> | undefined {
  if (bytes === undefined) return undefined;
  const kept = parsed(bytes);
  if (typeof kept?.start === "string" && typeof kept.last === "string") {
    return { ...kept, state: kept.state === undefined ? undefined : asState<State>(valueFromJson(kept.state)) };
  }
  throw new SobreError(
    "DecodeFailed",
    "The session's state is not that of a workflow. Clear it, or use sessions of their own.",
  );
}

/** The result of an earlier step of the same workflow. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters -- sessions carry no types
const asState = <State>(value: unknown): State => value as State;

/** Whatever JSON is there; {@link readProgress} looks at it. */
function parsed(bytes: Uint8Array): Kept | null {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}
