import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { leftOutWithout } from "../left-out.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: Buffer;
  readonly errors: string;
}

/** Runs the command as a user does; standard output may be closed after `readAtMost` bytes. */
function sobre(args: readonly string[], input: Uint8Array = new Uint8Array(0), readAtMost = Infinity): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["src/cli/main.ts", ...args], { cwd: root });
    const out: Buffer[] = [];
    let length = 0;
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out.push(chunk);
      length += chunk.byteLength;
      if (length >= readAtMost) child.stdout.destroy();
    });
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out: Buffer.concat(out), errors }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

// Three processes of a test start one after the other, which a busy machine makes long.
describe("sobre as a process", () => {
  it("tours its own mailbox, without colours in a pipe", async () => {
    const { code, out, errors } = await sobre(["tour"]);

    const report = out.toString();
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(report).toContain("All 56 expectations of the manifest held.");
    expect(report).not.toContain("\u001b");
  });

  it("writes everything before it ends, however much that is", async () => {
    const text = "ñ".repeat(4_000_000);

    const { code, out } = await sobre(["decode", "--json", "-t", "text/plain", "-"], Buffer.from(text));

    const line: unknown = JSON.parse(out.toString());
    expect(code).toBe(0);
    expect(line).toMatchObject({ file: "-", ok: true, codec: "text", value: text });
  });

  it("says nothing when its reader goes away", async () => {
    const text = "x".repeat(4_000_000);

    const { code, errors } = await sobre(["decode", "-t", "text/plain", "-", "nowhere"], Buffer.from(text), 1);

    expect({ code, errors }).toEqual({ code: 0, errors: "" });
  });

  it("pipes: encode undoes decode byte for byte", async () => {
    const order = readFileSync(`${root}/fixtures/mailbox/map.amqp`);

    const decoded = await sobre(["decode", "--json", "-t", "application/x-amqp-value", "-"], order);
    const { value }: { readonly value: unknown } = JSON.parse(decoded.out.toString());
    const encoded = await sobre(["encode", "--to", "application/x-amqp-value"], Buffer.from(JSON.stringify(value)));
    const again = await sobre(["decode", "--json", "-t", "application/x-amqp-value", "-"], encoded.out);

    expect(encoded.code).toBe(0);
    expect(JSON.parse(again.out.toString())).toMatchObject({ ok: true, value });
  });

  it(
    "ends with 3 and one line when its output cannot be written",
    leftOutWithout("Linux", process.platform === "linux"),
    async () => {
      const full = openSync("/dev/full", "w");
      const child = spawn(process.execPath, ["src/cli/main.ts", "decode", "fixtures/mailbox/order.json"], {
        cwd: root,
        stdio: ["ignore", full, "pipe"],
      });
      let errors = "";
      child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));

      const [code] = await once(child, "close");

      closeSync(full);
      expect({ code, errors }).toEqual({ code: 3, errors: "sobre: standard output cannot be written (ENOSPC)\n" });
    },
  );

  it("ends with 2 and one line for misuse", async () => {
    const { code, out, errors } = await sobre(["decode", "--nope"]);

    expect({ code, out: out.toString(), errors }).toEqual({
      code: 2,
      out: "",
      errors: "sobre: unknown option '--nope'\n",
    });
  });
});
