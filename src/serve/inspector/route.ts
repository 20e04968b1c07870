import { SobreError } from "../../core/errors/sobre-error.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type {
  CountAnswer,
  EntitiesAnswer,
  GroupsAnswer,
  JobAnswer,
  JobFact,
  JobsAnswer,
  MessageSelection,
  MessagesAnswer,
  OperationsAnswer,
  PurgeFact,
  RepairAnswer,
  SessionAnswer,
  SessionsAnswer,
  StoryAnswer,
} from "./api.ts";
import type { Caller } from "./caller.ts";
import type { InspectorParts } from "./inspector-parts.ts";
import { bodyReads } from "./message-filter.ts";

/** A request of the API. */
export interface RouteCall {
  readonly caller: Caller;
  readonly parts: InspectorParts;
  readonly query: URLSearchParams;
  /** The value of the path's parameter. */
  readonly id: string;
  readonly body: unknown;
  readonly abortSignal: AbortSignal;
  /** Adds a line to the audit. */
  readonly audit: (action: string, entity: string, detail: string) => void;
}

/** The answer of an operation, except lines of JSON. */
type RouteAnswer =
  | CountAnswer
  | EntitiesAnswer
  | GroupsAnswer
  | JobAnswer
  | JobFact
  | JobsAnswer
  | MessagesAnswer
  | OperationsAnswer
  | PurgeFact
  | RepairAnswer
  | SessionAnswer
  | SessionsAnswer
  | StoryAnswer;

/** An operation of the API. */
export interface InspectorRoute {
  readonly method: "GET" | "POST";
  /** Below `api/`, with at most one parameter. */
  readonly path: string;
  readonly summary: string;
  /** The definition of its answer in `schemas/inspector.schema.json`. */
  readonly answer: string;
  /** Whether it changes anything, and so is refused unless changes are allowed. */
  readonly changes?: boolean;
  /** `string`: lines of JSON. */
  readonly run: (call: RouteCall) => Promise<RouteAnswer | string>;
}

/** @throws SobreError `InvalidOperation` when the inspector only reads. */
export function requireChanges({ options }: InspectorParts): void {
  if (options.changes === true) return;
  throw new SobreError("InvalidOperation", "This inspector only reads. Start it with changes allowed.");
}

/** A message that is there. @throws SobreError `MessageNotFound`. */
export async function peekOne({ engine }: Caller, entity: string, fromSequenceNumber: bigint): Promise<Delivery> {
  const [delivery] = await engine.peek(entity, { maxMessages: 1, fromSequenceNumber });
  if (delivery?.sequenceNumber === fromSequenceNumber) return delivery;
  throw new SobreError("MessageNotFound", `There is no message #${fromSequenceNumber} any longer.`);
}

/**
 * Notes in the audit that a selection reads the bodies of an entity, where these are read on request only: whoever may
 * search them learns them. The text that is searched for is not noted.
 */
export function auditReading(
  { parts, audit }: Pick<RouteCall, "parts" | "audit">,
  entity: string,
  selection: MessageSelection,
): void {
  if (parts.options.bodies !== "onRequest") return;
  for (const by of bodyReads(selection)) audit("searched the bodies", entity, by);
}

/** The entity that a query names. @throws SobreError `InvalidArgument`. */
export function entityOf(query: URLSearchParams): string {
  const entity = query.get("entity") ?? "";
  if (entity === "") throw invalidOption("entity", "must be the path of an entity, e.g. orders");
  return entity;
}
