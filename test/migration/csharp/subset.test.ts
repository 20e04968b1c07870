import { describe, expect, it } from "vitest";
import { contractFromSources, type SourceSettings } from "../../../src/migration/csharp/contract-from-sources.ts";

function contractOf(text: string, settings: SourceSettings = {}): unknown {
  const { contract, problems } = contractFromSources([{ path: "a.cs", text }], settings);
  expect(problems).toEqual([]);
  return contract;
}

function problemsOf(...texts: readonly string[]): readonly string[] {
  const files = texts.map((text, index) => ({ path: `${"abc"[index]}.cs`, text }));
  return contractFromSources(files).problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

describe("the C# that is read", () => {
  it("includes records, file-scoped namespaces, init accessors and positional members", () => {
    const contract = contractOf(`
global using System.Runtime.Serialization;
namespace Acme.Orders;

[DataContract(Namespace = "urn:orders")]
public sealed record Order([property: DataMember(Order = 1)] Guid Id, int Hidden)
{
    [DataMember] public required string? Name { get; init; } = """say "hi" { """;
    [DataMember] public DateTime[]? Times { get; set; } = [];
}

[DataContract]
public readonly record struct Point([property: DataMember] int X, [property: DataMember] int? Y);
`);

    expect(contract).toEqual({
      "x-dotnet": { defaultNamespace: "urn:orders" },
      $defs: {
        Order: {
          properties: {
            Id: { "x-dotnet": { type: "guid", order: 1 } },
            Name: { type: "string" },
            Times: { "x-dotnet": "array", items: { "x-dotnet": "dateTime" } },
          },
          "x-dotnet": { clrName: "Acme.Orders.Order" },
        },
        Point: {
          properties: { X: { type: "integer" }, Y: { type: ["integer", "null"] } },
          "x-dotnet": {
            struct: true,
            namespace: "http://schemas.datacontract.org/2004/07/Acme.Orders",
          },
        },
      },
    });
  });

  it("takes the only class that no other one holds as the root, or the type that is asked for", () => {
    const text = "[DataContract] class Order { [DataMember] Line[] Lines; } [DataContract] class Line { }";

    expect(contractOf(text)).toMatchObject({ $ref: "#/$defs/Order" });
    expect(contractOf(text, { type: "Line" })).toMatchObject({ $ref: "#/$defs/Line", $defs: { Line: {} } });
    expect(contractOf(text, { type: "Dictionary<Guid, List<Line>>" })).toMatchObject({
      additionalProperties: { type: "array", items: { $ref: "#/$defs/Line" } },
      "x-dotnet": { type: "map", key: "guid" },
    });
  });

  it("follows aliases, global usings of other files, nested types and parts in several files", () => {
    const { contract, problems } = contractFromSources([
      { path: "a.cs", text: "global using Ids = System.Collections.Generic.List<System.Guid>;" },
      {
        path: "b.cs",
        text: `using S = Acme.Shared; namespace Acme { [DataContract] public partial class Order {
          [DataMember] public Ids Ids; [DataMember] public S.Kind Kind; [DataMember] public Inner.Deep Deep; } }`,
      },
      {
        path: "c.cs",
        text: `namespace Acme { partial class Order { public class Inner { [DataContract] public class Deep { } } [DataMember] int Late; }
          namespace Shared { public enum Kind : long { None, Many = 1L << 40 } } }`,
      },
    ]);

    expect(problems).toEqual([]);
    expect(contract).toMatchObject({
      $defs: {
        Order: {
          properties: {
            Ids: { type: "array", items: { "x-dotnet": "guid" } },
            Kind: { $ref: "#/$defs/Kind" },
            Deep: { $ref: "#/$defs/Order.Inner.Deep" },
            Late: { type: "integer" },
          },
        },
        Kind: { "x-dotnet": { members: { None: 0, Many: 1_099_511_627_776 } } },
        "Order.Inner.Deep": { "x-dotnet": { clrName: "Acme.Order+Inner+Deep" } },
      },
    });
  });

  it("resolves the members of each part of a partial class by the usings of its own file", () => {
    const { contract, problems } = contractFromSources([
      {
        path: "a.cs",
        text: "using One; [DataContract] partial class Order { [DataMember] Kind A; [DataMember] Gone C; }",
      },
      {
        path: "b.cs",
        text: "using Two;\nusing N = System.Int32;\n[KnownType(typeof(Kind))] partial class Order {\n[DataMember] Kind B;\n[DataMember] N D;\n[DataMember] Gone E; }",
      },
      { path: "c.cs", text: "namespace One { enum Kind { X } } namespace Two { enum Kind { Y } }" },
    ]);

    expect(problems.map(({ file, line }) => `${file}:${line}`)).toEqual(["a.cs:1", "b.cs:6"]);
    expect(contract).toMatchObject({
      $defs: {
        Order: {
          properties: { A: { $ref: "#/$defs/Kind" }, B: { $ref: "#/$defs/Two.Kind" }, D: { type: "integer" } },
        },
        Kind: { "x-dotnet": { members: { X: 0 } } },
        "Two.Kind": { "x-dotnet": { members: { Y: 0 } } },
      },
    });
  });

  it("evaluates values of an enumeration that name the enumeration itself", () => {
    const text = `namespace N { [DataContract] class A { [DataMember] Rights R; }
      enum Rights { Read = 1, Write = 2, More = 4, All = Rights.Read | Write | N.Rights.More } }`;

    expect(contractOf(text)).toMatchObject({
      $defs: { Rights: { "x-dotnet": { members: { Read: 1, Write: 2, More: 4, All: 7 } } } },
    });
  });

  it("reads what #if includes by the symbols that are defined", () => {
    const text = `[DataContract] class A {
#if NET48 && !(DEBUG || false)
      [DataMember] int Old;
#else
      [DataMember] int New;
#endif
#region } not read
      [DataMember] string Both = $"{(1 > 0 ? "}" : "{")}";
#endregion
    }`;

    expect(contractOf(text)).toMatchObject({ $defs: { A: { properties: { New: {}, Both: {} } } } });
    expect(contractOf(text, { symbols: ["NET48"] })).toMatchObject({
      $defs: { A: { properties: { Old: {}, Both: {} } } },
    });
  });

  it("takes unmarked public classes only where nothing is marked", () => {
    expect(contractOf("public class A { public int X { get; set; } } class Hidden { public int Y; }")).toMatchObject({
      $defs: { A: { properties: { X: { type: "integer" } } } },
    });
    expect(contractOf("public class A { public int X; } [Serializable] class B { int y; }")).toEqual({
      $ref: "#/$defs/B",
      "x-dotnet": { defaultNamespace: "http://schemas.datacontract.org/2004/07/" },
      $defs: { B: { properties: { y: { type: "integer", "x-dotnet": { serializer: "dataContract" } } } } },
    });
  });
});

describe("what contracts do not express", () => {
  it.each<readonly [text: string, told: string]>([
    [
      "[DataContract] class A {\n [DataMember] Money Price; }",
      "a.cs:2: A.Price: Money is neither in these sources nor",
    ],
    ["[DataContract] class A {\n\n [DataMember] int[,] Grid; }", "a.cs:3: A.Grid: int[,] has several dimensions"],
    ["[DataContract] class A { [DataMember(Name = Other.Name)] int X; }", "a.cs:1: names the constant Other.Name"],
    ['[DataContract]\n[KnownType("Types")] class A { }', "a.cs:2: [KnownType] names a method, which is not run"],
    ["[DataContract] class A { [DataMember] unsafe int* X; }", "a.cs:1: has a pointer"],
    ["[DataContract] class A { delegate void D(); [DataMember] D X; }", "a.cs:1: A.X: D is a delegate"],
    ["[DataContract] class A<T> { }", "a.cs:1: A is generic and no member uses it; ask for one, e.g. A<int>"],
    ["[Serializable] class A : ISerializable { }", "a.cs:1: A writes its members itself (ISerializable)"],
    ["[Serializable] class A { event Action E; }", "a.cs:1: E is an event"],
    [
      "[Serializable] class A { } [Serializable] class B : Missing { }",
      "a.cs:1: B: Missing is neither in these sources",
    ],
    ["[DataContract] class A : A { }", "a.cs:1: A: it derives from itself"],
    [
      'namespace N { [DataContract(Namespace="")] class A { } } namespace M { [DataContract(Namespace="")] class A { } }',
      "a.cs:1: M.A has the name of N.A on the wire",
    ],
    ["[XmlRoot] public class A { [XmlAnyElement] public object[] Rest; }", "a.cs:1: Rest has [XmlAnyElement]"],
    [
      "[XmlRoot] public class A { [XmlElement(typeof(int)), XmlElement(typeof(string))] public object[] X; }",
      "a.cs:1: X has elements of several types",
    ],
    [
      "[DataContract] class A { [DataMember] A<A<int>> X; } class A<T> { public A<A<T>> Y; }",
      "is of more than 64 type arguments",
    ],
    ["[DataContract] class A { [DataMember] L X; } class L : List<L> { }", "a.cs:1: L is a collection of itself"],
    ["class A { void F() { ", "a.cs:1: is not C# that is understood"],
    ["[DataContract] class A { ??? ; [DataMember] Gone X; }", "a.cs:1: is not C# that is understood"],
    ["[DataContract] class A { [DataMember] int X = 'ab'; }", "a.cs:1: has a character literal"],
    ["#if X\nclass A { }", "a.cs:2: has an #if without #endif"],
  ])("is named by file and line, and the rest is read: %s", (text, told) => {
    expect(problemsOf(text).join("\n")).toContain(told);
  });

  it("leaves the other members of a class as they are", () => {
    const { contract, problems } = contractFromSources([
      { path: "a.cs", text: "[DataContract] class A { [DataMember] int X; ??? ; [DataMember] Guid Y { get; } }" },
    ]);

    expect(problems).toHaveLength(1);
    expect(contract).toMatchObject({ $defs: { A: { properties: { X: {}, Y: {} } } } });
  });
});
