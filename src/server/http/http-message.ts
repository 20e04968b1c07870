/** A request whose body is read when somebody wants it. */
export interface HttpRequest {
  readonly method: string;
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
  /** Decoded, without slashes at its ends. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** Reads the body, once. @throws SobreError `MessageSizeExceeded` when it has more bytes than `most`. */
  body(this: void, most: number): Promise<Uint8Array>;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** An answer to a request. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}
