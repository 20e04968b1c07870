import { Client } from "pg";

/** A connection of the server's administrator. */
export class Administrator {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
    client.on("error", () => {});
  }

  static async connect(connectionString: string): Promise<Administrator> {
    const client = new Client({ connectionString });
    await client.connect();
    return new Administrator(client);
  }

  /** Ends some connections of others; returns how many. */
  async cutConnections(count: number): Promise<number> {
    const { rows } = await this.#client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and backend_type = 'client backend' order by random() limit $1`,
      [count],
    );
    return rows.length;
  }

  /** Writes everything that was committed through to disk. */
  async checkpoint(): Promise<void> {
    await this.#client.query("checkpoint");
  }

  /** Bytes of the tables of a schema, with indexes. */
  async bytesOf(schema: string): Promise<number> {
    const { rows } = await this.#client.query<{ readonly bytes: string }>(
      `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relkind = 'r'`,
      [schema],
    );
    return Number(rows[0]?.bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}
