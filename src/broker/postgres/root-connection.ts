import { PostgresConnection } from "./connection.ts";
import type { Home } from "./home.ts";

/** The root connection: closing it closes the engine. */
export class RootConnection extends PostgresConnection {
  readonly home: Home;

  constructor(home: Home) {
    super(home);
    this.home = home;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.home.close();
  }

  override async abort(): Promise<void> {
    await super.abort();
    await this.home.close();
  }
}
