import type { QueueSettings } from "../../engine/entity-settings.ts";
import { Intake, type IntakeOwner } from "./intake.ts";
import type { Numbering } from "./message-log.ts";
import { MessageQueue } from "./message-queue.ts";
import type { Meter } from "./queue-policy.ts";
import { type Limits, ReceivableEntity, type Transfer } from "./receivable-entity.ts";
import type { Timeline } from "./timeline.ts";

/** A queue with its sub-queues. */
export class QueueEntity extends ReceivableEntity implements IntakeOwner {
  override settings: QueueSettings;
  readonly numbering: Numbering;
  readonly meter: Meter = { bytes: 0 };
  readonly messages: MessageQueue;
  readonly intake: Intake;

  constructor(name: string, settings: QueueSettings, timeline: Timeline, transfer: Transfer, first: bigint) {
    super(name, timeline, transfer);
    this.settings = settings;
    this.numbering = { partitioned: settings.enablePartitioning, first };
    this.messages = new MessageQueue(this, timeline);
    this.intake = new Intake(this);
  }

  get limits(): Limits {
    return this.settings;
  }
}
