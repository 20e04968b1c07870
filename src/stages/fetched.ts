import { SobreError } from "../errors/sobre-error.ts";

/**
 * The result of `fetch`; an error that does not concern the payload counts as transient.
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
