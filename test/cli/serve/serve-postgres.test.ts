import { describe, expect, it } from "vitest";
import { run } from "../../../src/cli/program.ts";
import { keysApart } from "../../../src/cli/serve/serve-postgres.ts";
import { captureTerminal } from "../captured-terminal.support.ts";

const product = { version: "0.0.0", mailbox: "." };

async function outcome(...args: readonly string[]): Promise<readonly [code: number, errors: string]> {
  const terminal = captureTerminal();
  const code = await run(args, product, terminal);
  return [code, terminal.errors()];
}

const postgres = ["serve", "--postgres", "postgres://nobody@localhost:1/none", "--port", "0"];

describe("sobre serve --postgres", () => {
  it.each([
    ["a schema without a database", ["serve", "--schema", "shop"], "--schema is about a database: give --postgres URL"],
    ["a pooler without a database", ["serve", "--transaction-pooler"], "--transaction-pooler is about a database"],
    ["a directory besides", [...postgres, "--data", "here"], "--data and --postgres exclude each other"],
    ["a limit of its memory", [...postgres, "--max-memory", "5"], "--max-memory and --postgres exclude each other"],
    ["time of its own", [...postgres, "--virtual-time"], "--virtual-time and --postgres exclude each other"],
    ["namespaces in one schema", [...postgres, "--namespace", "a-b", "--namespace", "A_B"], "a schema of its own"],
    ["a schema that is no plain name", [...postgres, "--schema", "a;b"], "schema must have 1 to 63"],
    ["what is no URL of a database", ["serve", "--postgres", "http://a:secret@b/c"], "must be the URL of a database"],
    [
      "a namespace without its key",
      [...postgres, "--key", "a=b", "--namespace", "shop"],
      "--namespace shop needs a key",
    ],
  ])("refuses %s with 2, and repeats no password", async (_, args, message) => {
    const [code, errors] = await outcome(...args);

    expect(code).toBe(2);
    expect(errors).toContain(message);
    expect(errors).not.toContain("secret");
  });

  it("ends with 1 where no server is", async () => {
    const [code, errors] = await outcome(...postgres, "--wait", "0s");

    expect([code, errors]).toEqual([1, "sobre: PostgreSQL cannot be reached. Try again (ECONNREFUSED).\n"]);
  });
});

describe("the keys of a server with namespaces", () => {
  it("belong to the namespace of their name, the others to the one without a name", () => {
    const { keys, ofNamespaces } = keysApart({ root: "a", shop: "b" }, ["shop"]);

    expect([keys, [...ofNamespaces]]).toEqual([{ root: "a" }, [["shop", { shop: "b" }]]]);
    expect(keysApart(undefined, ["shop"]).keys).toBeUndefined();
    expect(() => keysApart({ shop: "b" }, ["shop"])).toThrow("give one more");
  });
});

const migrate = (...args: readonly string[]): ReturnType<typeof outcome> => outcome("postgres", "migrate", ...args);

describe("sobre postgres migrate", () => {
  it("says which database it lacks, what is wrong with its URL or schema, and where no server is", async () => {
    const url = "postgres://nobody@localhost:1/none";
    expect(await migrate("")).toEqual([2, "sobre: no database: give its URL, or set DATABASE_URL\n"]);
    expect(await migrate("shop")).toEqual([2, expect.stringContaining("must be the URL of a database")]);
    expect(await migrate(url, "--schema", "A")).toEqual([2, expect.stringContaining("schema must have")]);
    expect(await migrate(url, "--grant", 'a"b')).toEqual([2, expect.stringContaining("grantTo must have")]);
    expect(await migrate(url)).toEqual([1, expect.stringContaining("cannot be reached")]);
  });
});
