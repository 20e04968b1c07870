/** A request whose body is read on demand. */
export interface HttpRequest {
  readonly method: string;
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
  /** Decoded, without leading and trailing slashes. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  /** Reads the body, once. @throws SobreError `MessageSizeExceeded` when it has more bytes than `most`. */
  body(this: void, most: number): Promise<Uint8Array>;
  /** Aborted when the client has disconnected. */
  readonly abortSignal: AbortSignal;
}

/** An answer to a request. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}
