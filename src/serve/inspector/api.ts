import type { DurationLike } from "../../core/time/duration.ts";
import type { Json } from "../../core/values/json.ts";

// The answers of the API, which the page reads, too; `schemas/inspector.schema.json` describes them.

/** Why a message is never sent twice, or that it may be. */
export type Guarantee = "transaction" | "duplicateDetection" | "sendThenComplete";

/** A codec of the chain. */
interface CodecFact {
  readonly name: string;
  /** The content type that selects it, if one does. */
  readonly contentType: string | null;
}

/** The broker, and what the caller may do. */
export interface SessionAnswer {
  readonly engine: string;
  /** Host and port; `null` for one in this process. */
  readonly broker: string | null;
  readonly production: boolean;
  /** Whether messages may be changed, moved and deleted. */
  readonly changes: boolean;
  /** Whether bodies are shown at once or only when they are asked for. */
  readonly bodies: "shown" | "onRequest";
  /** Whether members are redacted: then no bytes are shown, and none exported. */
  readonly redacted: boolean;
  /** Whether the engine says who holds a session, and how many messages are deferred. */
  readonly inspects: boolean;
  /** Names of other brokers that messages can be sent to. */
  readonly brokers: readonly string[];
  /** Whether the caller may list entities. */
  readonly mayList: boolean;
  /** The name of the caller's key, or the subject of their access token; `null` without either. */
  readonly caller: string | null;
  readonly codecs: readonly CodecFact[];
  readonly messageTypes: readonly { readonly name: string; readonly versions: readonly number[] }[];
}

/** A queue, topic or subscription with its counts. */
export interface EntitySummary {
  readonly path: string;
  readonly kind: "queue" | "topic" | "subscription";
  readonly status: string;
  readonly requiresSession: boolean;
  /** With the deferred ones where `detail` is `null`. */
  readonly active: number;
  readonly deadLetter: number;
  readonly scheduled: number;
  /** Messages that could not be forwarded. */
  readonly transferDeadLetter: number;
  readonly sizeInBytes: number;
  /** `null` where the engine does not say. */
  readonly detail: EntityDetail | null;
}

/** Details of an entity that not every engine has. */
export interface EntityDetail {
  readonly deferred: number;
  /** Active and deferred messages that a receiver holds. */
  readonly locked: number;
  /** When the oldest message was enqueued; `null` without one. */
  readonly oldest: string | null;
  readonly oldestDeadLetter: string | null;
  /** The most frequent reasons among the first dead letters. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
}

export interface EntitiesAnswer {
  readonly entities: readonly EntitySummary[];
}

/** The facts by which dead letters are grouped. */
export const facetNames = ["reason", "source", "type", "error"] as const;

/** A fact by which dead letters are grouped: reason, source entity, message type, codec error. */
export type FacetName = (typeof facetNames)[number];

/** Messages with the same value of a fact; `""` is that of those without one. */
export interface FacetGroup {
  readonly value: string;
  readonly count: number;
  /** The sequence number of the first one. */
  readonly first: string;
}

/** A part of the groups: those of the messages up to `next`. */
export interface GroupsAnswer {
  readonly facets: Readonly<Record<FacetName, readonly FacetGroup[]>>;
  readonly scanned: number;
  /** The sequence number from which to go on; `null` at the end. */
  readonly next: string | null;
}

/** One line of a list of messages. */
export interface MessageRow {
  readonly sequenceNumber: string;
  readonly enqueuedTimeUtc: string;
  readonly scheduledEnqueueTimeUtc: string | null;
  readonly state: string;
  readonly messageId: string | null;
  readonly subject: string | null;
  readonly sessionId: string | null;
  readonly contentType: string | null;
  readonly deliveryCount: number;
  readonly sizeInBytes: number;
  readonly reason: string;
  readonly description: string;
  readonly source: string;
  readonly type: string;
  /** The codec that reads it, or `null`. */
  readonly codec: string | null;
  readonly error: string;
  readonly redrives: number;
}

export interface MessagesAnswer {
  readonly rows: readonly MessageRow[];
  readonly scanned: number;
  readonly next: string | null;
}

/** One decoder's attempt. */
export interface AttemptFact {
  readonly codec: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly offset: number | null;
  readonly message: string | null;
}

/** The chain's result for an envelope. */
export interface ChainVerdict {
  readonly ok: boolean;
  readonly codec: string | null;
  readonly typeName: string | null;
  readonly warnings: readonly string[];
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly attempts: readonly AttemptFact[];
  /** The body, with values that JSON lacks as `$` objects; absent when it is hidden, empty or was not read. */
  readonly body?: Json;
}

/** Whether a version of a message type reads the body. */
export interface VersionVerdict {
  readonly type: string;
  readonly version: number;
  /** Whether the message names this type and version. */
  readonly declared: boolean;
  readonly reads: boolean;
  /** Why not; empty when it does. */
  readonly why: string;
}

/** A line of an AMQP section: a field, key or item. */
interface SectionRow {
  readonly offset: number;
  /** Levels of nesting: 0 for a section. */
  readonly depth: number;
  /** The section, field, key or index. */
  readonly label: string;
  readonly type: string;
  readonly text: string;
  readonly end: number;
}

export interface SectionFact {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly rows: readonly SectionRow[];
}

/** An event in the life of a message. */
export interface TimelineEvent {
  /** `null` where the broker does not keep it. */
  readonly time: string | null;
  readonly what: string;
}

/** Everything about one message. */
export interface StoryAnswer {
  readonly row: MessageRow;
  readonly brokerProperties: Readonly<Record<string, Json>>;
  readonly applicationProperties: Readonly<Record<string, Json>>;
  /** Whether the body is left out until it is asked for. */
  readonly hidden: boolean;
  readonly verdict: ChainVerdict;
  /** The attempts of the consumer that dead-lettered it. */
  readonly recorded: { readonly code: string; readonly attempts: readonly AttemptFact[] } | null;
  /** The reason why the last handler failed. */
  readonly failure: string | null;
  readonly versions: readonly VersionVerdict[];
  readonly timeline: readonly TimelineEvent[];
  /** The ids that it may share with other messages: its own, the one that it answers, its trace. */
  readonly related: readonly string[];
  /** The first bytes of the payload, as base64; `null` when they are hidden or redacted. */
  readonly payload: string | null;
  readonly sections: readonly SectionFact[];
}

/** A changed message, and what the chain would say. */
export interface RepairAnswer {
  readonly verdict: ChainVerdict;
  readonly versions: readonly VersionVerdict[];
  readonly brokerProperties: Readonly<Record<string, Json>>;
  readonly applicationProperties: Readonly<Record<string, Json>>;
}

/** The outcome of one message of a re-drive. */
export interface RedriveOutcome {
  readonly sequenceNumber: string;
  readonly messageId: string | null;
  readonly outcome: string;
  readonly code: string | null;
  readonly message: string | null;
}

export type JobState = "running" | "done" | "stopped" | "cancelled" | "failed";

/** A re-drive that the server does, or has done. */
export interface JobFact {
  readonly id: string;
  readonly from: string;
  readonly to: string | null;
  /** The other broker that it sends to; `null` for the same one. */
  readonly broker: string | null;
  readonly dryRun: boolean;
  readonly state: JobState;
  readonly startedAt: string;
  readonly guarantee: Guarantee;
  /** The dead letters that there were when it began; `null` where the broker does not count them. */
  readonly total: number | null;
  readonly seen: number;
  readonly sent: number;
  readonly failed: number;
  /** Sent, but still in the dead-letter queue, too. */
  readonly doubled: number;
  /** Being sent when the server ended: they may have arrived, so they are not sent again. */
  readonly inDoubt: number;
  /** Why it stopped; empty otherwise. */
  readonly why: string;
}

export interface JobsAnswer {
  readonly jobs: readonly JobFact[];
}

export interface JobAnswer extends JobFact {
  /** The outcomes; only the first ones of a dry run. */
  readonly outcomes: readonly RedriveOutcome[];
  /** The index of the next outcome; `null` after the last one. */
  readonly next: number | null;
}

export interface SessionsAnswer {
  readonly sessions: readonly {
    readonly sessionId: string;
    /** Its first message; `null` when there is none. */
    readonly head: MessageRow | null;
    /** `null` where the engine does not say. */
    readonly detail: SessionDetail | null;
  }[];
  /** How many sessions to skip to go on; `null` at the end. */
  readonly next: number | null;
}

/** Details of a session that not every engine has. */
export interface SessionDetail {
  /** The name of its holder, empty if it has none; `null` for a free session. */
  readonly holder: string | null;
  readonly lockedUntilUtc: string | null;
  readonly messageCount: number;
  /** `null` without a state. */
  readonly stateSizeInBytes: number | null;
  readonly stateSetAtUtc: string | null;
  /** The beginning of its state, as text or else in hex; `null` without one, and where bodies are hidden or redacted. */
  readonly state: string | null;
}

/** The deletion of every message of an entity. */
export interface PurgeFact {
  readonly id: string;
  readonly entity: string;
  readonly state: JobState;
  readonly deleted: number;
  /** Why it failed; empty otherwise. */
  readonly why: string;
}

/** The operations of the API. */
export interface OperationsAnswer {
  readonly operations: readonly {
    readonly method: "GET" | "POST";
    readonly path: string;
    readonly summary: string;
    readonly answer: string;
    readonly changes: boolean;
  }[];
}

export interface CountAnswer {
  readonly count: number;
}

/** Which messages are meant. */
export interface MessageSelection {
  readonly reason?: string | undefined;
  readonly source?: string | undefined;
  readonly type?: string | undefined;
  readonly error?: string | undefined;
  /** Text in the body, the properties, the reason or the description, in any case. */
  readonly text?: string | undefined;
  /** A comparison with a member of the body, e.g. `$.customer.id = 7`. */
  readonly path?: string | undefined;
  readonly state?: string | undefined;
  readonly session?: string | undefined;
  /** An id that a message may share with others: its own, the one that it answers, its trace. */
  readonly related?: string | undefined;
  /** Only these. */
  readonly sequenceNumbers?: readonly string[] | undefined;
}

/** Changes to a message; properties that are `null` are removed. */
export interface RepairInit {
  readonly brokerProperties?: Readonly<Record<string, unknown>> | undefined;
  readonly applicationProperties?: Readonly<Record<string, unknown>> | undefined;
  /** The new body, written by the codec of the content type; or else `text`, the payload in UTF-8. */
  readonly body?: unknown;
  readonly text?: string | undefined;
}

/** A request to send dead letters back. */
export interface RedriveInit {
  readonly from: string;
  readonly to?: string | undefined;
  /** The name of another broker to send to. Default: the same one. */
  readonly broker?: string | undefined;
  readonly selection?: MessageSelection | undefined;
  /** Changes to make to each. Default: none. */
  readonly repair?: RepairInit | undefined;
  /** Default: true. */
  readonly dryRun?: boolean | undefined;
  /** Messages per second. Default: no limit. */
  readonly rate?: number | undefined;
  /** The size of the first batch; each further one is ten times as large. Default: one batch. */
  readonly firstBatch?: number | undefined;
  /** Time after each batch in which its messages may come back as dead letters, which ends it. Default: 2 seconds. */
  readonly settleTime?: DurationLike | undefined;
  /** Default: true. */
  readonly stopOnFailure?: boolean | undefined;
  /**
   * For a target that detects duplicates, which may drop a kept id that it has seen: `renew` gives each message an id of
   * this re-drive. Default: it sends nothing there.
   */
  readonly messageIds?: "keep" | "renew" | undefined;
}
