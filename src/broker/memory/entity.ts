import type { EntitySettings } from "../../core/engine/entity-settings.ts";
import type { EntityTimes } from "../../core/engine/admin.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
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
  /** Records events; set by the namespace if there is a store. */
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

  /** Whether a receive is waiting or a session is held. */
  abstract get awaited(): boolean;

  /** Accepts a message that is ready for delivery or forwarding. */
  abstract arrive(incoming: Incoming, now: number): void;

  /** Deletes every message, lock, session state and recorded message id; waiting calls keep waiting. */
  abstract clear(now: number): void;

  /** Deletes everything and refuses waiting calls. */
  abstract destroy(refusal: SobreError): void;

  /** Records that the entity was used; a clock that was set back before a start never makes it look more idle. */
  touch(now: number): void {
    this.usedAt = Math.max(this.usedAt, now);
    this.facts?.used(this.usedAt, this.settings.autoDeleteOnIdle !== Infinity);
  }

  /** Sets the times that the entity had before a restart. */
  restoreTimes({ createdAt, modifiedAt }: { readonly createdAt: number; readonly modifiedAt: number }): void {
    this.#createdAt = createdAt;
    this.#modifiedAt = modifiedAt;
    this.usedAt = createdAt;
  }

  /** Applies changed settings. */
  settingsChanged(now: number): void {
    this.#modifiedAt = now;
  }

  /** The sequence number under which a message was first accepted; consumes one if it has none yet. */
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
