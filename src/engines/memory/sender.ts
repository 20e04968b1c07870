import type { EngineSender } from "../../engine/index.ts";
import type { Envelope } from "../../envelope/index.ts";
import { checkSize } from "./acceptance.ts";
import type { Namespace } from "./namespace.ts";
import type { QueueEntity } from "./queue-entity.ts";
import { closed, entityNotFound } from "./refusals.ts";

/** The sending end of a link to a queue of the namespace. */
export class MemorySender implements EngineSender {
  readonly #namespace: Namespace;
  readonly #entity: QueueEntity;
  readonly #onClose: () => void;
  #closed = false;

  constructor(namespace: Namespace, entity: QueueEntity, onClose: () => void) {
    this.#namespace = namespace;
    this.#entity = entity;
    this.#onClose = onClose;
  }

  get maxMessageSize(): number {
    return this.#entity.settings.maxMessageSizeInBytes;
  }

  async send(envelopes: readonly Envelope[]): Promise<void> {
    if (this.#closed) throw closed("sender");
    const entity = this.#entity;
    const now = this.#namespace.timeline.now();
    if (this.#namespace.find(entity.address) !== entity) throw entityNotFound(entity.address);
    for (const envelope of envelopes) checkSize(envelope, this.maxMessageSize, entity.address);
    for (const envelope of envelopes) entity.accept(envelope, now);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#onClose();
  }
}
