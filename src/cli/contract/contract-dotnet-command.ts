import { collect, Command, type Finish } from "../commander.ts";
import type { DotnetCommand } from "./dotnet.ts";
import type { Terminal } from "../terminal.ts";

/** `sobre contract dotnet`. */
export function dotnetCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("dotnet")
    .summary("make the contract of .NET types that legacy payloads need")
    .description(
      "Reads C# sources, the XML schemas of svcutil or XsdDataContractExporter, or a\n" +
        "schema that `sobre migrate --schema-out` inferred, and writes one contract for\n" +
        "--contracts of decode, encode and migrate. Nothing is compiled or run. What a\n" +
        "contract cannot express is named with file and line.",
    )
    .argument("<SOURCE...>", "files (.cs, .xsd, .json), or folders with all that are in them")
    .option("--type <TYPE>", "the root in C#, e.g. 'List<Acme.Order>'; default: every marked type")
    .option("--define <SYMBOL>", "a symbol for #if; may be repeated", collect)
    .option("-o, --out <FILE>", "default: standard output")
    .addHelpText(
      "after",
      `
Examples:
  sobre contract dotnet src/Orders --out contracts/orders.json
  sobre contract dotnet Order.cs Line.cs --type Acme.Order | jq .
  sobre contract dotnet schemas/Order/0.0.schema.json > contracts/Order.json

Exit codes: 0 written, 1 written without what is named on standard error, 2 wrong
usage, a missing file, or no type.`,
    )
    .action(async (sources: readonly string[], options: Omit<DotnetCommand, "sources">) => {
      const { writeDotnetContract } = await import("./dotnet.ts");
      finish(await writeDotnetContract({ ...options, sources }, terminal));
    });
}
