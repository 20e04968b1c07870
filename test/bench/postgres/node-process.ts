import { bare } from "./bare.ts";
import { type Called, runFor } from "./contender.ts";
import { ours, served } from "./ours.ts";

const kinds: Readonly<Record<string, (connectionString: string) => Promise<Called>>> = {
  engine: ours,
  serve: served,
  bare: (connectionString) => bare(connectionString, "ours"),
};

/** A client that sends, receives and completes: `node node-process.ts CONNECTION engine|serve|bare MILLISECONDS`. At each line of its input it begins, and prints how many messages it has completed; it ends with its input. */
const [connectionString = "", kind = "", milliseconds = "0"] = process.argv.slice(2);
const contender = await kinds[kind]?.(connectionString);
if (contender === undefined) throw new Error(`There is no kind "${kind}".`);
await runFor(500, contender);
console.log("ready");
process.stdin.on("data", async () => {
  console.log(await runFor(Number(milliseconds), contender));
});
process.stdin.once("end", () => process.exit());
