import { reportFormats } from "../../contract/report/report-format.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { collect, type Command, commandOf, Option, type Session, wholeNumber } from "../commander.ts";
import { contractExitCodes, type Terminal } from "../terminal.ts";
import type { ExportCommand, ImportCommand } from "./asyncapi.ts";
import type { ChangelogCommand } from "./changelog.ts";
import type { CheckCommand, CompatCommand } from "./check.ts";
import type { CanDeployCommand, DeployCommand } from "./deploy.ts";
import type { DotnetCommand } from "./dotnet.ts";
import type { GoldenCommand } from "./golden.ts";
import type { InitCommand } from "./init.ts";
import type { PactCommand } from "./pact.ts";
import type { FetchCommand } from "./registry.ts";
import type { TypesCommand } from "./release.ts";
import type { ReplayCommand } from "./replay.ts";

/** Runs the work of a command and reports its exit code. */
type Run = (work: (terminal: Terminal) => Promise<number>) => Promise<void>;

const exits = `0 proven, 1 breaking, 2 wrong usage or nothing checked, 3 unproven
with --strict, 4 a schema cannot be read.`;

/** `sobre contract` with its commands. */
export function contractCommand({ terminal, finish }: Session): Command {
  const run: Run = async (work) => finish(await reportingUnreadable(terminal, () => work(terminal)));
  const commands = [
    checkCommand(run),
    compatCommand(run),
    changelogCommand(run),
    initCommand(run),
    fetchCommand(run),
    dotnetCommand(async (work) => finish(await work(terminal))),
    commandOf("import", { summary: "write subjects from documents of another format" })
      .addCommand(importAsyncApiCommand(run))
      .addCommand(importPactCommand(run)),
    commandOf("export", { summary: "write subjects as documents of another format" }).addCommand(
      exportAsyncApiCommand(run),
    ),
    releaseCommand(run),
    typesCommand(run),
    goldenCommand("record", "write golden messages of every version that has samples", run),
    goldenCommand("verify", "read every golden message with today's code", run),
    goldenCommand("matrix", "read every producer version's messages as every consumer version", run),
    replayCommand(run),
    deployedCommand(run),
    canDeployCommand(run),
  ];
  const contract = commandOf("contract", {
    summary: "check that versions of messages can read each other",
    about: `Compares versions of schemas: breaking with a witness, safe with a proof, or
unproven. Subjects are folders of versions under schemas/.`,
    exits,
  });
  for (const command of commands) contract.addCommand(command);
  return contract;
}

/** A schema or file that cannot be read has an exit code of its own. */
export async function reportingUnreadable(terminal: Terminal, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    terminal.err(`sobre: ${error.message}${error.path === undefined ? "" : ` (${error.path})`}\n`);
    return contractExitCodes.unreadable;
  }
}

function onSubjects(name: string, summary: string): Command {
  return commandOf(name, { summary, exits }).option("-s, --schemas <DIR>", "folder of the subjects", "schemas");
}

const reportFormat = (): Option =>
  new Option("-f, --format <F>", "how to report").choices(reportFormats).default("text");

const goldenFolder = ["-g, --fixtures <DIR>", "folder of the golden messages", "fixtures/contracts"] as const;
const environment = ["-e, --env <ENV>", "the environment, e.g. prod"] as const;
const deployments = [
  "--file <FILE>",
  "the deployments: a file, or a URL for GET and PUT (SOBRE_DEPLOYMENTS_AUTH is USER:PASSWORD)",
  "deployments.json",
] as const;

function checkCommand(run: Run): Command {
  return onSubjects("check", "compare the versions that meet")
    .option(...goldenFolder)
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
    .option(...deployments)
    .option("--registry <URL>", "compare with a schema registry by its modes; SOBRE_REGISTRY_AUTH is USER:PASSWORD")
    .action((options: CheckCommand) =>
      run(async (terminal) => (await import("./check.ts")).checkContracts(options, terminal)),
    );
}

function compatCommand(run: Run): Command {
  const directions = ["backward", "forward", "full"];
  const contentModels = ["declared-writer", "as-written"];
  const policies = ["json", "wire", "source"];
  const formats = ["either", "annotation", "assertion"];
  return commandOf("compat", { summary: "compare two schema files", exits })
    .argument("<OLD>", "a JSON Schema or a .proto file")
    .argument("<NEW>", "the version after it")
    .addOption(new Option("-d, --direction <D>", "who reads whom").choices(directions).default("backward"))
    .addOption(
      new Option("-c, --content-model <M>", "what writers send").choices(contentModels).default("declared-writer"),
    )
    .addOption(
      new Option("-p, --policy <P>", "what must stay the same in a Protobuf schema").choices(policies).default("json"),
    )
    .addOption(new Option("--formats <F>", "how to treat format in a JSON Schema").choices(formats).default("either"))
    .addOption(reportFormat())
    .option("--strict", "fail when the pair is unproven")
    .option("--budget <STEPS>", "steps for the pair; default: 10000000", wholeNumber("--budget", 0))
    .action((older: string, newer: string, options: CompatCommand) =>
      run(async (terminal) => (await import("./check.ts")).compareFiles([older, newer], options, terminal)),
    );
}

function changelogCommand(run: Run): Command {
  return commandOf("changelog", {
    summary: "write what changed from version to version, as Markdown",
    exits: "0 written, 2 wrong usage or nothing to compare, 4 a schema cannot be read.",
  })
    .argument("[SUBJECT]", "default: every subject")
    .option("-s, --schemas <DIR>", "folder of the subjects", "schemas")
    .option("--from <VERSION>", "begin after this version; default: the oldest")
    .option("--to <VERSION>", "end with this version; default: the newest")
    .action((subject: string | undefined, options: Omit<ChangelogCommand, "subject">) =>
      run(async (terminal) => (await import("./changelog.ts")).writeChangelog({ ...options, subject }, terminal)),
    );
}

function initCommand(run: Run): Command {
  return onSubjects("init", "write versions from a source, and subject.json")
    .option("--from <MODULE>", "a module with schemas or message types, or a .json, .yaml or .proto file")
    .option("--export <NAME>", "its export; default: the default one, or every one")
    .option("--messages <FILE>", "captured messages: envelopes as JSON, one per line")
    .option("--subject <NAME>", "the subject; default: what the source says")
    .action((options: InitCommand) =>
      run(async (terminal) => (await import("./init.ts")).initContracts(options, terminal)),
    );
}

function fetchCommand(run: Run): Command {
  return onSubjects("fetch", "write the versions of a schema registry as subjects")
    .argument("[SUBJECT...]", "default: every subject, or those of --id")
    .requiredOption("--registry <URL>", "a registry like Confluent's; SOBRE_REGISTRY_AUTH is USER:PASSWORD")
    .option("--id <N>", "only the schema with this id", wholeNumber("--id", 0))
    .action((names: readonly string[], options: FetchCommand) =>
      run(async (terminal) => (await import("./registry.ts")).fetchVersions({ ...options, names }, terminal)),
    );
}

function dotnetCommand(run: Run): Command {
  return commandOf("dotnet", {
    summary: "make the contract of .NET types that legacy payloads need",
    about: `Reads C# sources, the XML schemas of svcutil or XsdDataContractExporter, or a
schema that \`sobre migrate --schema-out\` inferred, and writes one contract for
--contracts of decode, encode and migrate. Nothing is compiled or run. What a
contract cannot express is named with file and line.`,
    examples: [
      "sobre contract dotnet src/Orders --out contracts/orders.json",
      "sobre contract dotnet Order.cs Line.cs --type Acme.Order | jq .",
      "sobre contract dotnet schemas/Order/0.0.schema.json > contracts/Order.json",
    ],
    exits: `0 written, 1 written without what is named on standard error, 2 wrong
usage, a missing file, or no type.`,
  })
    .argument("<SOURCE...>", "files (.cs, .xsd, .json), or folders with all that are in them")
    .option("--type <TYPE>", "the root in C#, e.g. 'List<Acme.Order>'; default: every marked type")
    .option("--define <SYMBOL>", "a symbol for #if; may be repeated", collect)
    .option("-o, --out <FILE>", "default: standard output")
    .action((sources: readonly string[], options: Omit<DotnetCommand, "sources">) =>
      run(async (terminal) => (await import("./dotnet.ts")).writeDotnetContract({ ...options, sources }, terminal)),
    );
}

function importAsyncApiCommand(run: Run): Command {
  return onSubjects("asyncapi", "AsyncAPI 3: messages as subjects, channels as entities")
    .argument("<FILE>", "the document, JSON or YAML")
    .option("-c, --config <FILE>", "the entities, in the format of the emulator", "Config.json")
    .option("--service <NAME>", "the service whose operations these are; default: by the title")
    .action((file: string, options: ImportCommand) =>
      run(async (terminal) => (await import("./asyncapi.ts")).importDocument({ ...options, file }, terminal)),
    );
}

function importPactCommand(run: Run): Command {
  return onSubjects("pact", "message pacts of specification 3 and 4, as golden messages")
    .argument("<FILE>", "the pact")
    .option(...goldenFolder)
    .option("--subject <NAME>", "of messages that name none; default: the one of their description")
    .option("--schema-version <V>", "the version of the subject; default: the newest")
    .action((file: string, options: PactCommand) =>
      run(async (terminal) => (await import("./pact.ts")).importPact({ ...options, file }, terminal)),
    );
}

function exportAsyncApiCommand(run: Run): Command {
  return onSubjects("asyncapi", "AsyncAPI 3")
    .addOption(new Option("-f, --format <F>", "how to write it").choices(["json", "yaml"]).default("json"))
    .option("-o, --out <FILE>", "default: standard output")
    .option("--service <NAME>", "a service of inFlight, for subjects that were not imported")
    .action((options: ExportCommand) =>
      run(async (terminal) => (await import("./asyncapi.ts")).exportDocument(options, terminal)),
    );
}

function releaseCommand(run: Run): Command {
  return onSubjects("release", "lock versions, so that edits and deletions fail the check")
    .argument("[SUBJECT...]", "default: every subject")
    .action((names: readonly string[], { schemas }: { readonly schemas: string }) =>
      run(async (terminal) => (await import("./release.ts")).releaseVersions({ schemas, names }, terminal)),
    );
}

function typesCommand(run: Run): Command {
  return onSubjects("types", "write TypeScript types of the subjects")
    .option("-o, --out <FILE>", "a .ts file; default: standard output")
    .action((options: TypesCommand) =>
      run(async (terminal) => (await import("./release.ts")).writeTypes(options, terminal)),
    );
}

function goldenCommand(name: "record" | "verify" | "matrix", summary: string, run: Run): Command {
  const command = onSubjects(name, summary).option(...goldenFolder);
  if (name === "matrix") command.option("--html <FILE>", "also write the matrix as one HTML page");
  if (name !== "record")
    command.option("--types <MODULE>", "message types that read the messages, with their upcasters");
  return command.action((options: GoldenCommand) =>
    run(async (terminal) => (await import("./golden.ts")).goldenCommand({ ...options, name }, terminal)),
  );
}

function replayCommand(run: Run): Command {
  return commandOf("replay", { summary: "show a witness failing again" })
    .argument("<REPORT>", "the output of check or compat with --format json")
    .argument("<HASH>", "the hash of the witness, or its beginning")
    .option("-s, --schemas <DIR>", "use these subjects; default: the schemas in the report")
    .action((report: string, hash: string, options: Pick<ReplayCommand, "schemas">) =>
      run(async (terminal) => (await import("./replay.ts")).replayWitness({ ...options, report, hash }, terminal)),
    );
}

function deployedCommand(run: Run): Command {
  return onSubjects("deployed", "record which versions a deployed service sends and reads")
    .argument("<SERVICE>", "a service of inFlight")
    .argument("<VERSION>", "the version of the service")
    .requiredOption(...environment)
    .option(...deployments)
    .action((service: string, version: string, options: DeployCommand) =>
      run(async (terminal) =>
        (await import("./deploy.ts")).recordDeployment({ ...options, service, version }, terminal),
      ),
    );
}

function canDeployCommand(run: Run): Command {
  return onSubjects("can-deploy", "check a service against those that are deployed")
    .argument("<SERVICE>", "a service of inFlight")
    .requiredOption(...environment)
    .option(...deployments)
    .option("--types <MODULE>", "message types whose upcasters apply")
    .addOption(reportFormat())
    .action((service: string, options: CanDeployCommand) =>
      run(async (terminal) => (await import("./deploy.ts")).canDeploy({ ...options, service }, terminal)),
    );
}
