import { Command, type Finish, Option, wholeNumber } from "../commander.ts";
import { reportFormats } from "../../contract/report/report-format.ts";
import type { ChangelogCommand } from "./changelog.ts";
import { dotnetCommand } from "./contract-dotnet-command.ts";
import type { CheckCommand } from "./check.ts";
import type { CompatCommand } from "./compat.ts";
import type { CanDeployCommand, DeployCommand } from "./deploy.ts";
import type { FetchCommand } from "./registry.ts";
import type { GoldenCommand } from "./golden.ts";
import type { InitCommand } from "./init.ts";
import type { ReplayCommand } from "./replay.ts";
import type { TypesCommand } from "./types.ts";
import { exchangeCommands } from "./exchange.ts";
import { reportingUnreadable } from "./outcome.ts";
import type { Terminal } from "../terminal.ts";

/** The commands of `sobre contract`; `finish` takes the exit code. */
export function contractCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("contract")
    .summary("check that versions of messages can read each other")
    .description(
      "Compares versions of schemas: breaking with a witness, safe with a proof, or\n" +
        "unproven. Subjects are folders of versions under schemas/.",
    )
    .addHelpText("after", exitCodesText);
  command.addCommand(checkCommand(terminal, finish));
  command.addCommand(compatCommand(terminal, finish));
  command.addCommand(changelogCommand(terminal, finish));
  command.addCommand(initCommand(terminal, finish));
  command.addCommand(fetchCommand(terminal, finish));
  command.addCommand(dotnetCommand(terminal, finish));
  for (const exchange of exchangeCommands(terminal, finish)) command.addCommand(exchange);
  command.addCommand(releaseCommand(terminal, finish));
  command.addCommand(typesCommand(terminal, finish));
  for (const [name, summary] of [
    ["record", "write golden messages of every version that has samples"],
    ["verify", "read every golden message with today's code"],
    ["matrix", "read every producer version's messages as every consumer version"],
  ] as const)
    command.addCommand(folderCommand(name, summary, { terminal, finish }));
  command.addCommand(replayCommand(terminal, finish));
  command.addCommand(deployedCommand(terminal, finish));
  command.addCommand(canDeployCommand(terminal, finish));
  return command;
}

const exitCodesText = `
Exit codes: 0 proven, 1 breaking, 2 wrong usage or nothing checked, 3 unproven
with --strict, 4 a schema cannot be read.`;

function step(name: string, summary: string): Command {
  return new Command(name).summary(summary).addHelpText("after", exitCodesText);
}

function onSubjects(name: string, summary: string): Command {
  return step(name, summary).option("-s, --schemas <DIR>", "folder of the subjects", "schemas");
}

function reportFormat(): Option {
  return new Option("-f, --format <F>", "how to report").choices(reportFormats).default("text");
}

const deploymentsText = "the deployments: a file, or a URL for GET and PUT (SOBRE_DEPLOYMENTS_AUTH is USER:PASSWORD)";

function checkCommand(terminal: Terminal, finish: Finish): Command {
  return onSubjects("check", "compare the versions that meet")
    .option("-g, --fixtures <DIR>", "folder of the golden messages", "fixtures/contracts")
    .option("-a, --against <WHAT>", "git:REF, a folder, lock, or an installed package")
    .addOption(reportFormat())
    .option("--types <MODULE>", "message types that must agree with the files; their upcasters apply")
    .option(
      "--from <SOURCE>",
      "a module with schemas, or a .json, .yaml or .proto file, that must agree with the files",
    )
    .option("--subject <NAME>", "the subject of --from; default: as init names it")
    .option("--strict", "fail when a pair is unproven")
    .option("--budget <STEPS>", "steps for each pair; default: 10000000", wholeNumber("--budget", 0))
    .option("-e, --env <ENV>", "take what is in flight from the deployments of this environment")
    .option("--file <FILE>", deploymentsText, "deployments.json")
    .option("--registry <URL>", "compare with a schema registry by its modes; SOBRE_REGISTRY_AUTH is USER:PASSWORD")
    .action(async (options: CheckCommand) => {
      const { checkContracts } = await import("./check.ts");
      finish(await reportingUnreadable(terminal, () => checkContracts(options, terminal)));
    });
}

function compatCommand(terminal: Terminal, finish: Finish): Command {
  return step("compat", "compare two schema files")
    .argument("<OLD>", "a JSON Schema or a .proto file")
    .argument("<NEW>", "the version after it")
    .addOption(new Option("-d, --direction <D>", "who reads whom").choices(directions).default("backward"))
    .addOption(
      new Option("-c, --content-model <M>", "what writers send").choices(contentModels).default("declared-writer"),
    )
    .addOption(
      new Option("-p, --policy <P>", "what must stay the same in a Protobuf schema").choices(policies).default("json"),
    )
    .addOption(
      new Option("--formats <F>", "how to treat format in a JSON Schema").choices(formatPolicies).default("either"),
    )
    .addOption(reportFormat())
    .option("--strict", "fail when the pair is unproven")
    .option("--budget <STEPS>", "steps for the pair; default: 10000000", wholeNumber("--budget", 0))
    .action(async (older: string, newer: string, options: CompatCommand) => {
      const { compareFiles } = await import("./compat.ts");
      finish(await reportingUnreadable(terminal, () => compareFiles([older, newer], options, terminal)));
    });
}

function changelogCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("changelog")
    .summary("write what changed from version to version, as Markdown")
    .argument("[SUBJECT]", "default: every subject")
    .option("-s, --schemas <DIR>", "folder of the subjects", "schemas")
    .option("--from <VERSION>", "begin after this version; default: the oldest")
    .option("--to <VERSION>", "end with this version; default: the newest")
    .addHelpText("after", "\nExit codes: 0 written, 2 wrong usage or nothing to compare, 4 a schema cannot be read.")
    .action(async (subject: string | undefined, options: Omit<ChangelogCommand, "subject">) => {
      const { writeChangelog } = await import("./changelog.ts");
      finish(await reportingUnreadable(terminal, () => writeChangelog({ ...options, subject }, terminal)));
    });
}

const directions = ["backward", "forward", "full"] as const;
const contentModels = ["declared-writer", "as-written"] as const;
const policies = ["json", "wire", "source"] as const;
const formatPolicies = ["either", "annotation", "assertion"] as const;

function initCommand(terminal: Terminal, finish: Finish): Command {
  return onSubjects("init", "write versions from a source, and subject.json")
    .option("--from <MODULE>", "a module with schemas or message types, or a .json, .yaml or .proto file")
    .option("--export <NAME>", "its export; default: the default one, or every one")
    .option("--messages <FILE>", "captured messages: envelopes as JSON, one per line")
    .option("--subject <NAME>", "the subject; default: what the source says")
    .action(async (options: InitCommand) => {
      const { initContracts } = await import("./init.ts");
      finish(await reportingUnreadable(terminal, () => initContracts(options, terminal)));
    });
}

function fetchCommand(terminal: Terminal, finish: Finish): Command {
  return onSubjects("fetch", "write the versions of a schema registry as subjects")
    .argument("[SUBJECT...]", "default: every subject, or those of --id")
    .requiredOption("--registry <URL>", "a registry like Confluent's; SOBRE_REGISTRY_AUTH is USER:PASSWORD")
    .option("--id <N>", "only the schema with this id", wholeNumber("--id", 0))
    .action(async (names: readonly string[], options: FetchCommand) => {
      const { fetchVersions } = await import("./registry.ts");
      finish(await reportingUnreadable(terminal, () => fetchVersions({ ...options, names }, terminal)));
    });
}

function folderCommand(
  name: "record" | "verify" | "matrix",
  summary: string,
  { terminal, finish }: { readonly terminal: Terminal; readonly finish: Finish },
): Command {
  const command = onSubjects(name, summary).option(
    "-g, --fixtures <DIR>",
    "folder of the golden messages",
    "fixtures/contracts",
  );
  if (name === "matrix") command.option("--html <FILE>", "also write the matrix as one HTML page");
  if (name !== "record")
    command.option("--types <MODULE>", "message types that read the messages, with their upcasters");
  return command.action(async (options: GoldenCommand) => {
    const { goldenCommand } = await import("./golden.ts");
    finish(await reportingUnreadable(terminal, () => goldenCommand({ ...options, name }, terminal)));
  });
}

function releaseCommand(terminal: Terminal, finish: Finish): Command {
  return onSubjects("release", "lock versions, so that edits and deletions fail the check")
    .argument("[SUBJECT...]", "default: every subject")
    .action(async (names: readonly string[], { schemas }: { readonly schemas: string }) => {
      const { releaseVersions } = await import("./release.ts");
      finish(await reportingUnreadable(terminal, () => releaseVersions({ schemas, names }, terminal)));
    });
}

function typesCommand(terminal: Terminal, finish: Finish): Command {
  return onSubjects("types", "write TypeScript types of the subjects")
    .option("-o, --out <FILE>", "a .ts file; default: standard output")
    .action(async (options: TypesCommand) => {
      const { writeTypes } = await import("./types.ts");
      finish(await reportingUnreadable(terminal, () => writeTypes(options, terminal)));
    });
}

function deployedCommand(terminal: Terminal, finish: Finish): Command {
  return onSubjects("deployed", "record which versions a deployed service sends and reads")
    .argument("<SERVICE>", "a service of inFlight")
    .argument("<VERSION>", "the version of the service")
    .requiredOption("-e, --env <ENV>", "the environment, e.g. prod")
    .option("--file <FILE>", deploymentsText, "deployments.json")
    .action(async (service: string, version: string, options: DeployCommand) => {
      const { recordDeployment } = await import("./deploy.ts");
      finish(await reportingUnreadable(terminal, () => recordDeployment({ ...options, service, version }, terminal)));
    });
}

function canDeployCommand(terminal: Terminal, finish: Finish): Command {
  return onSubjects("can-deploy", "check a service against those that are deployed")
    .argument("<SERVICE>", "a service of inFlight")
    .requiredOption("-e, --env <ENV>", "the environment, e.g. prod")
    .option("--file <FILE>", deploymentsText, "deployments.json")
    .option("--types <MODULE>", "message types whose upcasters apply")
    .addOption(reportFormat())
    .action(async (service: string, options: CanDeployCommand) => {
      const { canDeploy } = await import("./deploy.ts");
      finish(await reportingUnreadable(terminal, () => canDeploy({ ...options, service }, terminal)));
    });
}

function replayCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("replay")
    .summary("show a witness failing again")
    .argument("<REPORT>", "the output of check or compat with --format json")
    .argument("<HASH>", "the hash of the witness, or its beginning")
    .option("-s, --schemas <DIR>", "use these subjects; default: the schemas in the report")
    .action(async (report: string, hash: string, options: Pick<ReplayCommand, "schemas">) => {
      const { replayWitness } = await import("./replay.ts");
      finish(await reportingUnreadable(terminal, () => replayWitness({ ...options, report, hash }, terminal)));
    });
}
