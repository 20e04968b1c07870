import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { engineSuite } from "../../src/broker/conformance/index.ts";

const run = promisify(execFile);

it("the engine conformance suite runs under node:test, none skipped", async () => {
  const program = fileURLToPath(new URL("node-test-memory.support.ts", import.meta.url));
  const options = ["--conditions=sobre-source", "--test-reporter=tap", program];
  // The mark of this process as a test run would make the child report to a parent that it has not.
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...env } = process.env;

  const { stdout } = await run(process.execPath, options, { env, maxBuffer: 2 ** 24 });

  expect(stdout).toContain(`# pass ${engineSuite.length}\n`);
  expect(stdout).toContain("# skipped 0\n");
});
