import { SobreError } from "../../errors/sobre-error.ts";

/** The part of a list that a request asks for with `$skip` and `$top`. */
export class Page {
  readonly #skip: number;
  readonly #top: number;
  /** The query of the next page; `undefined` when there is none. */
  next: string | undefined;

  constructor(query: URLSearchParams) {
    this.#skip = countOf(query, "$skip", 0) ?? 0;
    this.#top = countOf(query, "$top", 1) ?? 100;
  }

  cut<T>(all: readonly T[]): readonly T[] {
    const end = this.#skip + this.#top;
    this.next = end < all.length ? `api-version=2021-05&$skip=${end}&$top=${this.#top}` : undefined;
    return all.slice(this.#skip, end);
  }
}

function countOf(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new SobreError("InvalidArgument", `${name} must be a whole number from ${least} up.`);
}
