import { SobreError } from "../errors/sobre-error.ts";

/** A link to an entity that is opened when it is needed, and again when it was lost. */
export class Link<L extends { close(): Promise<void> }> {
  readonly #what: string;
  readonly #open: () => Promise<L>;
  #opening: Promise<L> | undefined;
  #current: L | undefined;
  #closed = false;
  #isLate = false;

  constructor(what: string, open: () => Promise<L>) {
    this.#what = what;
    this.#open = open;
  }

  /** The open link. @throws SobreError `Closed`, and what opening it throws; then the next call tries again. */
  get(): Promise<L> {
    if (this.#closed) return Promise.reject(new SobreError("Closed", `The ${this.#what} is closed. Create another.`));
    return (this.#opening ??= this.#begin());
  }

  /** Does something with the open link, and forgets the link when that shows that it was lost. */
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

  /** Forgets the link when the error shows that it was lost. */
  async lost(link: L | undefined, error: unknown): Promise<void> {
    if (isLinkLost(error) && link === this.#current) await this.#drop();
  }

  /**
   * Forgets a link that does not answer, without waiting for its end. One that is still being opened is given a second
   * chance, since the steps behind it are bounded, too, and beginning anew would take longer.
   */
  abandon(): void {
    const isOpening = this.#current === undefined && this.#opening !== undefined;
    this.#isLate = isOpening && !this.#isLate;
    if (!this.#isLate) void this.#drop();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#drop();
  }

  #begin(): Promise<L> {
    const opening = (async () => this.#open())();
    void this.#follow(opening);
    return opening;
  }

  /** A link that was given up while it was opened is not the current one when it comes after all: it is closed by then. */
  async #follow(opening: Promise<L>): Promise<void> {
    try {
      const link = await opening;
      if (this.#opening === opening) this.#current = link;
    } catch {
      // Who asked for it has the error.
      if (this.#opening === opening) this.#opening = undefined;
    }
  }

  async #drop(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#current = undefined;
    await closeQuietly(opening);
  }
}

/** Closing what is broken may fail, which changes nothing. */
async function closeQuietly(link: Promise<{ close(): Promise<void> }> | undefined): Promise<void> {
  try {
    await (await link)?.close();
  } catch {
    // It is gone either way.
  }
}

/** Codes after which a link is of no use: its connection was lost, or may have been, or its entity or session is not there any more. */
const lostCodes: ReadonlySet<string> = new Set([
  "ServiceCommunicationProblem",
  "GeneralError",
  "MessagingEntityNotFound",
  "SessionLockLost",
]);

const isLinkLost = (error: unknown): boolean => error instanceof SobreError && lostCodes.has(error.code);
