import type { ExportCommand, ImportCommand } from "./contract-asyncapi.ts";
import { reportingUnreadable } from "./contract-outcome.ts";
import { Command, type Finish, Option } from "./commander.ts";
import type { Terminal } from "./terminal.ts";

/** `sobre contract import` and `export`, by the format of the other side. */
export function exchangeCommands(terminal: Terminal, finish: Finish): readonly Command[] {
  const importing = new Command("import").summary("write subjects from documents of another format");
  importing.addCommand(
    onSubjects("asyncapi", "AsyncAPI 3: messages as subjects, channels as entities")
      .argument("<FILE>", "the document, JSON or YAML")
      .option("-c, --config <FILE>", "the entities, in the format of the emulator", "Config.json")
      .option("--service <NAME>", "the service whose operations these are; default: by the title")
      .action(async (file: string, options: ImportCommand) => {
        const { importDocument } = await import("./contract-asyncapi.ts");
        finish(await reportingUnreadable(terminal, () => importDocument({ ...options, file }, terminal)));
      }),
  );
  const exporting = new Command("export").summary("write subjects as documents of another format");
  exporting.addCommand(
    onSubjects("asyncapi", "AsyncAPI 3")
      .addOption(new Option("-f, --format <F>", "how to write it").choices(["json", "yaml"]).default("json"))
      .option("-o, --out <FILE>", "default: standard output")
      .option("--service <NAME>", "a service of inFlight, for subjects that were not imported")
      .action(async (options: ExportCommand) => {
        const { exportDocument } = await import("./contract-asyncapi.ts");
        finish(await reportingUnreadable(terminal, () => exportDocument(options, terminal)));
      }),
  );
  return [importing, exporting];
}

function onSubjects(name: string, summary: string): Command {
  return new Command(name).summary(summary).option("-s, --schemas <DIR>", "folder of the subjects", "schemas");
}
