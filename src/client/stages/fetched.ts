import { SobreError } from "../../core/errors/sobre-error.ts";

/**
 * The result of `fetch`; an error that is not about the payload counts as transient.
 *
 * Thus, when a store or key service is unavailable, messages are redelivered, not dead-lettered.
 */
export async function fetched<T>(what: string, fetch: () => T | Promise<T>): Promise<T> {
  try {
    return await fetch();
  } catch (cause) {
    throw SobreError.from(cause, "ServiceCommunicationProblem", `Fetching ${what} failed`);
  }
}
