import { checkEnvelopes } from "../../core/engine/arguments.ts";
import type { EngineSender, SendOptions } from "../../core/engine/engine.ts";
import { closed } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { done } from "./answer.ts";
import type { Closable, LinkOwner, SendVerbs } from "./broker-verbs.ts";
import { checkBatchKeys } from "./partitions.ts";
import type { SendRoute } from "./router.ts";

/** The sending end of a link to a queue or topic. */
export class BrokerSender<Own, Enlisted> implements EngineSender, Closable {
  readonly #verbs: SendVerbs<Own, Enlisted>;
  readonly #route: SendRoute<Own>;
  readonly #owner: LinkOwner<Enlisted>;
  #closed = false;

  constructor(verbs: SendVerbs<Own, Enlisted>, route: SendRoute<Own>, owner: LinkOwner<Enlisted>) {
    this.#verbs = verbs;
    this.#route = route;
    this.#owner = owner;
  }

  get maxMessageSize(): number {
    return this.#verbs.maxMessageSize(this.#route.through ?? this.#route.target);
  }

  send(envelopes: readonly Envelope[], options?: SendOptions): Promise<void> {
    try {
      if (this.#closed) throw closed("sender");
      checkEnvelopes(envelopes);
      if (options?.transaction !== undefined || options?.settled === true) return this.#sendWith(envelopes, options);
      if (envelopes.length > 1) this.#checkBatch(envelopes);
      // Without a closure, since messages are sent one by one.
      const due = this.#verbs.catchUp();
      if (due === undefined) return this.#verbs.send(this.#route, envelopes) ?? done;
      return due.then(() => this.#verbs.send(this.#route, envelopes));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #sendWith(envelopes: readonly Envelope[], { transaction, settled }: SendOptions): Promise<void> {
    const work = transaction === undefined ? undefined : this.#owner.enlisted(transaction);
    try {
      this.#checkBatch(envelopes);
      if (work !== undefined)
        return await this.#owner.runIn(work, () => this.#verbs.sendIn(work, this.#route, envelopes));
      const due = this.#verbs.catchUp();
      if (due !== undefined) await due;
      await this.#verbs.send(this.#route, envelopes);
    } catch (error) {
      if (settled !== true || !(error instanceof SobreError)) throw error;
    }
  }

  #checkBatch(envelopes: readonly Envelope[]): void {
    const { target, through } = this.#route;
    checkBatchKeys(through ?? target, envelopes, through !== undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#owner.closed(this);
  }

  abort(): Promise<void> {
    return this.close();
  }
}
