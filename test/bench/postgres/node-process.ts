import { bare } from "./bare.ts";
import { type Called, runner } from "./contender.ts";
import { ours, served } from "./ours.ts";

const kinds: Readonly<Record<string, (connectionString: string, schema: string) => Promise<Called>>> = {
  engine: ours,
  serve: served,
  bare: (connectionString, schema) => bare(connectionString, "ours", schema),
};

/** Messages that a process completes before it is measured, however many share them: each one compiles its own code. */
const warmUp = 20_000;

/**
 * A client that sends, receives and completes:
 * `node node-process.ts CONNECTION engine|serve|bare SCHEMA MESSAGES_AHEAD MILLISECONDS`. At each line of its input it
 * begins, and prints how many messages it has completed; it ends with its input.
 */
const [connectionString = "", kind = "", schema = "", mostAhead = "0", milliseconds = "0"] = process.argv.slice(2);
const contender = await kinds[kind]?.(connectionString, schema);
if (contender === undefined) throw new Error(`There is no kind "${kind}".`);
const run = runner(contender, Number(mostAhead));
for (let completed = 0; completed < warmUp;) completed += await run(500);
console.log("ready");
process.stdin.on("data", async () => {
  console.log(await run(Number(milliseconds)));
});
process.stdin.once("end", () => process.exit());
