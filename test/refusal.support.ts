import { SobreError } from "../src/core/errors/index.ts";

/** The SobreError that `act` throws; fails when it throws none, or anything else. */
export function refusal(act: () => unknown): SobreError {
  try {
    act();
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}

/** The SobreError that `promise` rejects with; fails when it does not, or with anything else. */
export async function rejection(promise: Promise<unknown>): Promise<SobreError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}
