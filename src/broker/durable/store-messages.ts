import type { MessagePort } from "node:worker_threads";
import type { ErrorCode } from "../../core/errors/codes.ts";

/** A request to the thread of a store. */
export type StoreRequest = { readonly id: number } & (
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

export type CommitRequest = Extract<StoreRequest, { readonly kind: "commit" }>;

/**
 * An answer of the thread to a request, and to the commits right before it that have no answer yet;
 * `rows` are those of a load, none at its end, or of a read, and `spare` the buffers of what was committed.
 */
export type StoreAnswer = { readonly id: number } & (
  | { readonly rows: Uint8Array<ArrayBuffer> | undefined }
  | { readonly spare: readonly ArrayBuffer[] }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } }
);

/**
 * The numbers that both threads share: `posted` rises with every request, and the thread sleeps until it does; `size` is that of
 * the batch in the slot, which comes there when no request is under way; `answer` is one of {@link answers}.
 */
export const places = { posted: 0, size: 1, answer: 2 } as const;

/** Whether the answer to the batch in the slot is looked for in its place, or is there; otherwise it is a message. */
export const answers = { message: 0, awaited: 1, given: 2 } as const;

/**
 * Whether the other thread has recently answered fast enough to poll for its next message rather than sleep. On a busy machine
 * it has not, and the processor is left to others.
 */
export class AnswerPace {
  readonly #limit: number;
  #score = 0;

  /** @param limit the most milliseconds that are quick. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get isQuick(): boolean {
    return this.#score >= 8;
  }

  /** One late message in five does not end the polling; several in a row do. */
  took(milliseconds: number): void {
    this.#score = milliseconds < this.#limit ? Math.min(this.#score + 1, 16) : Math.max(this.#score - 4, 0);
  }
}

/** The data that the thread begins with. */
export interface StoreThreadSetup {
  readonly directory: string;
  /** See {@link places}. */
  readonly shared: Int32Array<SharedArrayBuffer>;
  /** For a small batch, which takes half the time of a message. */
  readonly slot: Uint8Array<SharedArrayBuffer>;
  /** For requests and answers. Not every runtime lets a thread poll its own port, as Node does. */
  readonly port: MessagePort;
}
