import { bare } from "./bare.ts";
import { runFor } from "./contender.ts";
import { ours } from "./ours.ts";

/** A node that sends, receives and completes: `node node-process.ts CONNECTION sobre|bare MILLISECONDS`. It begins at the first line of its input, and prints what it has completed, and its processor time in milliseconds. */
const [connectionString = "", kind = "sobre", milliseconds = "0"] = process.argv.slice(2);
const contender = kind === "bare" ? await bare(connectionString, "ours") : await ours(connectionString);
await runFor(500, contender);
console.log("ready");
process.stdin.once("data", async () => {
  const before = process.cpuUsage();
  const completed = await runFor(Number(milliseconds), contender);
  const { user, system } = process.cpuUsage(before);
  console.log(completed, Math.round((user + system) / 1000));
  process.exit();
});
