import type { EntitySettings } from "../../engine/entity-settings.ts";
import type { EntityTimes } from "../../engine/admin.ts";
import type { SobreError } from "../../errors/sobre-error.ts";
import type { EntityFacts } from "./entity-facts.ts";
import type { Incoming } from "./incoming.ts";
import type { Numbering } from "./message-log.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { Meter } from "./meter.ts";
import type { Part } from "./store.ts";
import type { Timeline } from "./timeline.ts";

/** An entity as its namespace sees it. */
export abstract class Entity {
  readonly address: string;
  abstract readonly settings: EntitySettings;
  abstract readonly numbering: Numbering;
  abstract readonly meter: Meter;
  abstract readonly messages: MessageQueue;
  readonly timeline: Timeline;
  /** When it was used last, in milliseconds since 1970. */
  usedAt: number;
  /** Records what happens; set by the namespace where there is a store. */
  facts: EntityFacts | undefined = undefined;
  readonly part: Part = "messages";
  #createdAt: number;
  #modifiedAt: number;

  constructor(address: string, timeline: Timeline) {
    this.address = address;
    this.timeline = timeline;
    this.usedAt = timeline.now();
    this.#createdAt = this.usedAt;
    this.#modifiedAt = this.usedAt;
  }

  /** Whether a receive waits, or a session is held. */
  abstract get awaited(): boolean;

  /** Takes a message in that is ready for delivery or forwarding. */
  abstract arrive(incoming: Incoming, now: number): void;

  /** Drops every message, lock and session state, and forgets the message ids seen; whoever waits goes on waiting. */
  abstract clear(now: number): void;

  /** Drops everything and refuses whoever waits. */
  abstract destroy(refusal: SobreError): void;

  /** Notes that the entity was used. */
  touch(now: number): void {
    this.usedAt = now;
    this.facts?.used(now, this.settings.autoDeleteOnIdle !== Infinity);
  }

  /** Sets the times that the entity had before a restart. */
  restoreTimes({ createdAt, modifiedAt }: { readonly createdAt: number; readonly modifiedAt: number }): void {
    this.#createdAt = createdAt;
    this.#modifiedAt = modifiedAt;
  }

  /** Applies settings that have been changed. */
  settingsChanged(now: number): void {
    this.#modifiedAt = now;
  }

  /** The number that a message was first accepted under, which is used up when it is none yet. */
  protected firstNumber(incoming: Incoming): bigint {
    return incoming.enqueuedSequenceNumber ?? this.messages.store.skipNumber(incoming.envelope);
  }

  get times(): EntityTimes {
    return {
      createdAt: new Date(this.#createdAt),
      modifiedAt: new Date(this.#modifiedAt),
      accessedAt: new Date(this.usedAt),
    };
  }
}
