import { SobreError } from "../../src/core/errors/index.ts";

/** How a promise ended: the code of its error, or `done`. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "done",
    (error: unknown) => (error instanceof SobreError ? error.code : String(error)),
  );
