import { SobreError } from "../errors/sobre-error.ts";

/**
 * What `fetch` gives; anything it throws that says nothing of the payload may pass by itself.
 *
 * So a store or key service that is away makes messages come back, and not dead letters.
 */
export async function fetched<T>(what: string, fetch: () => T | Promise<T>): Promise<T> {
  try {
    return await fetch();
  } catch (cause) {
    throw SobreError.from(cause, "ServiceCommunicationProblem", `Fetching ${what} failed`);
  }
}
