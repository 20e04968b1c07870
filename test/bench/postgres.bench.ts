import { installPostgres } from "../external/installed.support.ts";
import type { Figure } from "./harness.ts";
import { endToEnd } from "./postgres/end-to-end.ts";
import { heldTransaction } from "./postgres/held-transaction.ts";
import { latency } from "./postgres/latency.ts";
import { severalNodes } from "./postgres/nodes.ts";
import { sizes } from "./postgres/sizes.ts";

const parts: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  "end-to-end": endToEnd,
  latency,
  sizes,
  nodes: severalNodes,
  "held-transaction": heldTransaction,
};

/** The PostgreSQL engine, against scripts on its own tables and against other queues; `PARTS=latency,nodes` runs some of it. */
export async function bench(): Promise<readonly Figure[]> {
  await installPostgres();
  const chosen = process.env["PARTS"]?.split(",") ?? Object.keys(parts);
  const figures: Figure[] = [];
  for (const name of chosen) figures.push(...((await parts[name]?.()) ?? []));
  return figures;
}
