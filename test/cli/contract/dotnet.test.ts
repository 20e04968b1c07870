import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { linesOf, scratchFolder, sobre } from "../calls.support.ts";

const legacy = fileURLToPath(new URL("../../../fixtures/legacy", import.meta.url));
const { scratch, file } = scratchFolder();

const sources = `using System.Runtime.Serialization;
[DataContract(Namespace = "urn:sobre:orders:v1")]
class Order {
  [DataMember(Order = 0)] string OrderId;
  [DataMember(Order = 1)] Customer Customer;
}
[DataContract(Namespace = "urn:sobre:orders:v1")] class Customer { [DataMember] Money Age; }
`;

describe("sobre contract dotnet", () => {
  it("reads sources that are not UTF-8 as Windows-1252, as the compiler does", async () => {
    const source = `${sources}[DataContract(Namespace = "urn:sobre:orders:v1")] class Größe { [DataMember] int Höhe; }`;

    const { terminal } = await sobre("contract", "dotnet", file("Latin.cs", Buffer.from(source, "latin1")));

    expect(JSON.parse(terminal.text())).toMatchObject({ $defs: { Größe: { properties: { Höhe: {} } } } });
  });

  it("writes the contract of C# sources, and names what it lacks on standard error", async () => {
    const { code, terminal } = await sobre("contract", "dotnet", file("Order.cs", sources));

    expect(code).toBe(1);
    expect(JSON.parse(terminal.text())).toMatchObject({
      $ref: "#/$defs/Order",
      "x-dotnet": { defaultNamespace: "urn:sobre:orders:v1" },
      $defs: { Customer: { properties: { Age: { "x-dotnet": "any" } } } },
    });
    expect(terminal.errors()).toMatch(
      /^sobre: .*Order\.cs:7: Customer\.Age: Money is neither in these sources nor a type that contracts know\n2 types; .* 1 place above\n$/,
    );
  });

  it("reads folders with all that are in them, but not what compilers write, and contract folders too", async () => {
    const project = join(scratch, "project");
    mkdirSync(join(project, "src/deep"), { recursive: true });
    mkdirSync(join(project, "obj"));
    writeFileSync(join(project, "src/deep/Order.cs"), "[DataContract] class Order { [DataMember] int X; }");
    writeFileSync(join(project, "obj/Order.g.cs"), "[DataContract] class Generated { ");
    const contracts = join(project, "contracts/orders");
    mkdirSync(contracts, { recursive: true });

    const made = await sobre("contract", "dotnet", project, "--out", join(contracts, "orders.json"));
    const payload = file("order.bin", Buffer.from("QAVPcmRlchICAAA=", "base64"));
    const read = await sobre("decode", "--contracts", join(project, "contracts"), payload);

    expect(made.code).toBe(0);
    expect(made.terminal.errors()).toMatch(/^1 type in .*orders\.json\n$/);
    expect(JSON.parse(readFileSync(join(contracts, "orders.json"), "utf8"))).toMatchObject({ $ref: "#/$defs/Order" });
    expect(read.terminal.errors()).toBe("");
  });

  it("reads the schemas of XsdDataContractExporter", async () => {
    const { code, terminal } = await sobre("contract", "dotnet", join(legacy, "contracts/xsd"), "--type", "Holder");

    expect(code).toBe(0);
    expect(JSON.parse(terminal.text())).toMatchObject({ $ref: "#/$defs/Holder" });
  });

  it("drafts a contract from what migrate --schema-out inferred, which --contracts takes as it is", async () => {
    const schemas = join(scratch, "schemas");
    const captures = join(legacy, "migrate/dlq.ndjson");
    await sobre("migrate", captures, "--schema-out", schemas);

    const drafted = await sobre("contract", "dotnet", join(schemas, "Order/0.0.schema.json"));
    const again = await sobre("migrate", captures, "--contracts", schemas);
    const [order] = linesOf((await sobre("decode", "--json", join(legacy, "dotnet/nbfx-dcs-order.bin"))).terminal);
    const [read] = linesOf(
      (await sobre("decode", "--json", "--contracts", schemas, join(legacy, "dotnet/nbfx-dcs-order.bin"))).terminal,
    );

    expect(drafted.code).toBe(0);
    expect(drafted.terminal.errors()).toContain("a draft from samples: check numbers");
    expect(JSON.parse(drafted.terminal.text())).toMatchObject({
      $ref: "#/$defs/Order",
      "x-dotnet": { defaultNamespace: "urn:sobre:orders:v1" },
    });
    expect(again.terminal.text()).not.toContain("Ambiguous");
    expect(read).toEqual(order);
  });

  it.each<readonly [args: readonly string[], message: string]>([
    [["nowhere.cs"], "nowhere.cs: no such file"],
    [[scratchFile("none.cs", "class A { }")], "no type is marked for a serializer; name one with --type"],
    [[scratchFile("one.cs", "[DataContract] class A { }"), "--type", "B"], "--type: B is neither in these sources"],
    [
      [scratchFile("two.cs", "[DataContract] class A { }"), "--type", "List<"],
      "--type: List< is not a type as C# writes it",
    ],
    [[scratchFile("a.xsd", "<a/>")], "a.xsd: The XML is not an XML schema"],
    [[scratchFile("a.txt", "")], "no C# sources, XML schemas or inferred schemas"],
    [
      [scratchFile("mixed.cs", "[DataContract] class A { }"), scratchFile("mixed.xsd", "<a/>")],
      "mixed.xsd: a contract is made of one kind of source",
    ],
    [[scratchFile("b.xsd", "<a/>"), scratchFile("b.json", "{}")], "b.json: a contract is made of one kind of source"],
    [[scratchFile("a.json", "{}")], "is not a schema that sobre migrate --schema-out inferred"],
  ])("says in one line what is wrong: %j", async (args, message) => {
    const { code, terminal } = await sobre("contract", "dotnet", ...args);

    expect(code).toBe(2);
    expect(terminal.text()).toBe("");
    expect(terminal.errors()).toContain(message);
    expect(terminal.errors().trimEnd().split("\n")).toHaveLength(1);
  });
});

function scratchFile(name: string, text: string): string {
  return file(name, text);
}
