import type { ErrorCode } from "../../errors/codes.ts";

/** A request to the thread of a store. */
export type Request = { readonly id: number } & (
  | { readonly kind: "open" }
  | { readonly kind: "commit"; readonly batch: Uint8Array<ArrayBuffer>; readonly isFollowed: boolean }
  /** The next rows of the database, from the first one on when it begins. */
  | { readonly kind: "load"; readonly begins: boolean }
  /** Rows of messages by their records. */
  | { readonly kind: "read"; readonly records: readonly number[] }
  | { readonly kind: "recovered" }
  | { readonly kind: "backup"; readonly directory: string }
  | { readonly kind: "close" }
);

/**
 * An answer of the thread to a request, and to the commits right before it that have no answer yet;
 * `rows` are those of a load, none at its end, or of a read, and `spare` the buffers of what was committed.
 */
export type Answer = { readonly id: number } & (
  | { readonly rows: Uint8Array<ArrayBuffer> | undefined }
  | { readonly spare: readonly ArrayBuffer[] }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } }
);

/** The data that the thread begins with. */
export interface ThreadSetup {
  readonly directory: string;
  /** One number, which rises with every request: the thread sleeps until it does. */
  readonly posted: Int32Array<SharedArrayBuffer>;
}
