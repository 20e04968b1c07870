import type { QueueSettings } from "../../core/engine/entity-settings.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import { Intake, type IntakeOwner } from "./intake.ts";
import type { Numbering } from "./message-log.ts";
import { MessageQueue } from "./message-queue.ts";
import { Meter } from "./meter.ts";
import { type Limits, ReceivableEntity, type Transfer } from "./receivable-entity.ts";
import type { Timeline } from "./timeline.ts";

/** A queue with its sub-queues. */
export class QueueEntity extends ReceivableEntity implements IntakeOwner {
  override settings: QueueSettings;
  readonly numbering: Numbering;
  readonly meter: Meter;
  readonly messages: MessageQueue;
  readonly intake: Intake;

  constructor(name: string, settings: QueueSettings, timeline: Timeline, transfer: Transfer, first: bigint) {
    super(name, timeline, transfer);
    this.settings = settings;
    this.meter = new Meter(transfer.memory);
    this.numbering = { partitioned: settings.enablePartitioning, first };
    this.messages = new MessageQueue(this, timeline);
    this.intake = new Intake(this);
  }

  get limits(): Limits {
    return this.settings;
  }

  override clear(now: number): void {
    super.clear(now);
    this.intake.clear(now);
  }

  override destroy(refusal: SobreError): void {
    super.destroy(refusal);
    this.intake.destroy();
  }
}
