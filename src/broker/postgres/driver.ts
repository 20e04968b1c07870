// The parts of the driver's interface that callers see, so that the types of this package need none of the driver's.

/** The result of a statement. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** A connection of `pg`: a `Client`, or the client of a pool. */
export interface PostgresClient {
  query(statement: string): Promise<unknown>;
  query(statement: { readonly text: string; readonly values: unknown[] }): Promise<PostgresResult>;
}

/** A connection borrowed from a pool. */
export interface PostgresPoolClient extends PostgresClient {
  release(error?: Error | boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

/** A `Pool` of `pg`. */
export interface PostgresPool extends PostgresClient {
  connect(): Promise<PostgresPoolClient>;
  on(event: "connect", listener: (client: PostgresPoolClient) => void): unknown;
}
