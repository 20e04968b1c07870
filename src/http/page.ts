/** The part of a list that a request asks for with `$skip` and `$top`. */
export class Page {
  readonly #skip: number;
  readonly #top: number;
  /** The query of the next page; `undefined` when there is none. */
  next: string | undefined;

  constructor(query: URLSearchParams) {
    this.#skip = Math.max(0, Number(query.get("$skip")) || 0);
    this.#top = Math.max(1, Number(query.get("$top")) || 100);
  }

  cut<T>(all: readonly T[]): readonly T[] {
    const end = this.#skip + this.#top;
    this.next = end < all.length ? `$skip=${end}&$top=${this.#top}` : undefined;
    return all.slice(this.#skip, end);
  }
}
