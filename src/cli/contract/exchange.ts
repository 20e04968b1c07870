import type { ExportCommand, ImportCommand } from "./asyncapi.ts";
import type { PactCommand } from "./pact.ts";
import { reportingUnreadable } from "./outcome.ts";
import { Command, type Finish, Option } from "../commander.ts";
import type { Terminal } from "../terminal.ts";

/** `sobre contract import` and `export`, by the format of the other side. */
export function exchangeCommands(terminal: Terminal, finish: Finish): readonly Command[] {
  const importing = new Command("import").summary("write subjects from documents of another format");
  importing.addCommand(
    onSubjects("asyncapi", "AsyncAPI 3: messages as subjects, channels as entities")
      .argument("<FILE>", "the document, JSON or YAML")
      .option("-c, --config <FILE>", "the entities, in the format of the emulator", "Config.json")
      .option("--service <NAME>", "the service whose operations these are; default: by the title")
      .action(async (file: string, options: ImportCommand) => {
        const { importDocument } = await import("./asyncapi.ts");
        finish(await reportingUnreadable(terminal, () => importDocument({ ...options, file }, terminal)));
      }),
  );
  importing.addCommand(
    onSubjects("pact", "message pacts of specification 3 and 4, as golden messages")
      .argument("<FILE>", "the pact")
      .option("-g, --fixtures <DIR>", "folder of the golden messages", "fixtures/contracts")
      .option("--subject <NAME>", "of messages that name none; default: the one of their description")
      .option("--schema-version <V>", "the version of the subject; default: the newest")
      .action(async (file: string, options: PactCommand) => {
        const { importPact } = await import("./pact.ts");
        finish(await reportingUnreadable(terminal, () => importPact({ ...options, file }, terminal)));
      }),
  );
  const exporting = new Command("export").summary("write subjects as documents of another format");
  exporting.addCommand(
    onSubjects("asyncapi", "AsyncAPI 3")
      .addOption(new Option("-f, --format <F>", "how to write it").choices(["json", "yaml"]).default("json"))
      .option("-o, --out <FILE>", "default: standard output")
      .option("--service <NAME>", "a service of inFlight, for subjects that were not imported")
      .action(async (options: ExportCommand) => {
        const { exportDocument } = await import("./asyncapi.ts");
        finish(await reportingUnreadable(terminal, () => exportDocument(options, terminal)));
      }),
  );
  return [importing, exporting];
}

function onSubjects(name: string, summary: string): Command {
  return new Command(name).summary(summary).option("-s, --schemas <DIR>", "folder of the subjects", "schemas");
}
