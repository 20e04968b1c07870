import { installPostgres } from "../servers/installed.support.ts";
import type { Figure } from "./harness.ts";
import { endToEnd } from "./postgres/end-to-end.ts";
import { heldTransaction } from "./postgres/held-transaction.ts";
import { latency } from "./postgres/latency.ts";
import { severalNodes } from "./postgres/nodes.ts";
import { sizes } from "./postgres/sizes.ts";

/** The PostgreSQL engine, against scripts on its own tables and against other queues. */
export async function bench(): Promise<readonly Figure[]> {
  await installPostgres();
  return [
    ...(await endToEnd()),
    ...(await latency()),
    ...(await sizes()),
    await severalNodes(),
    await heldTransaction(),
  ];
}
