/** The calls in a transaction that have not been answered: its end waits for those that were made before. */
export class PendingCalls {
  readonly #pending = new Set<Promise<unknown>>();

  /** Adds a call and returns it. */
  add<T>(call: Promise<T>): Promise<T> {
    const ended: Promise<unknown> = call.catch(() => undefined).finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
    return call;
  }

  /** Resolves when the calls so far have been answered, whatever the answer. */
  async ended(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
