import { SobreError } from "../../core/errors/sobre-error.ts";
import type { LinkReport } from "./signals.ts";

/** A link to an entity, opened when it is needed and reopened after it was lost. */
export class ClientLink<L extends { close(): Promise<void> }> {
  readonly #what: string;
  readonly #open: () => Promise<L>;
  readonly #state: LinkReport | undefined;
  #opening: Promise<L> | undefined;
  #current: L | undefined;
  #closed = false;
  #isLate = false;

  /** @param state Where its openings and losses are reported. */
  constructor(what: string, open: () => Promise<L>, state?: LinkReport) {
    this.#what = what;
    this.#open = open;
    this.#state = state;
  }

  /** The open link. @throws SobreError `Closed`, and what opening it throws; the next call tries again. */
  get(): Promise<L> {
    if (this.#closed) return Promise.reject(new SobreError("Closed", `The ${this.#what} is closed. Create a new one.`));
    return (this.#opening ??= this.#begin());
  }

  /** Runs an operation on the open link, and drops the link if the error shows that it was lost. */
  async use<T>(operation: (link: L) => Promise<T>): Promise<T> {
    const link = this.#current ?? (await this.get());
    try {
      return await operation(link);
    } catch (error) {
      await this.lost(link, error);
      throw error;
    }
  }

  /** The open link, if there is one. */
  get current(): L | undefined {
    return this.#current;
  }

  /** Drops the link when the error shows that it was lost. */
  async lost(link: L | undefined, error: unknown): Promise<void> {
    if (!isLinkLost(error) || link !== this.#current) return;
    this.#state?.lost(error);
    await this.#drop();
  }

  /**
   * Drops a link that does not answer, without waiting for it to close. One that is still being opened gets a second
   * chance: its steps have time limits too, and starting over would take longer.
   */
  abandon(): void {
    const isOpening = this.#current === undefined && this.#opening !== undefined;
    this.#isLate = isOpening && !this.#isLate;
    if (this.#isLate) return;
    this.#state?.lost(new SobreError("ServiceTimeout", `The link of the ${this.#what} did not answer in time.`));
    void this.#drop();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#state?.closed();
    await this.#drop();
  }

  #begin(): Promise<L> {
    const opening = (async () => this.#open())();
    void this.#follow(opening);
    return opening;
  }

  /** A link that was abandoned while opening is not the current one if it opens after all: it is closed then. */
  async #follow(opening: Promise<L>): Promise<void> {
    try {
      const link = await opening;
      if (this.#opening !== opening) return;
      this.#current = link;
      this.#state?.opened();
    } catch (error) {
      // The caller has received the error.
      if (this.#opening !== opening) return;
      this.#opening = undefined;
      this.#state?.lost(error);
    }
  }

  async #drop(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#current = undefined;
    await closeQuietly(opening);
  }
}

/** Closing a broken link may fail; the error is ignored. */
async function closeQuietly(link: Promise<{ close(): Promise<void> }> | undefined): Promise<void> {
  try {
    await (await link)?.close();
  } catch {
    // The link is gone either way.
  }
}

/** Codes after which a link is unusable: its connection was or may have been lost, or its entity or session is gone. */
const lostCodes: ReadonlySet<string> = new Set([
  "ServiceCommunicationProblem",
  "GeneralError",
  "MessagingEntityNotFound",
  "SessionLockLost",
]);

const isLinkLost = (error: unknown): boolean => error instanceof SobreError && lostCodes.has(error.code);
