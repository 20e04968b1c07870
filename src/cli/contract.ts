import { Command, Option, textOf } from "./commander.ts";
import { reportFormats } from "../contract/report/check-report.ts";
import { defaultBudget } from "../contract/meter.ts";
import { Misuse } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** Options as commander parses them, by long name in camelCase. */
interface Options {
  readonly schemas?: unknown;
  readonly fixtures?: unknown;
  readonly against?: unknown;
  readonly format?: unknown;
  readonly strict?: unknown;
  readonly direction?: unknown;
  readonly contentModel?: unknown;
  readonly policy?: unknown;
  readonly formats?: unknown;
  readonly html?: unknown;
  readonly from?: unknown;
  readonly types?: unknown;
  readonly budget?: unknown;
  readonly env?: unknown;
  readonly file?: unknown;
  readonly export?: unknown;
  readonly messages?: unknown;
  readonly subject?: unknown;
}

/** The commands of `sobre contract`; `finish` takes the exit code. */
export function contractCommand(terminal: Terminal, finish: (code: number) => void): Command {
  const command = new Command("contract")
    .summary("check that versions of messages can read each other")
    .description(
      "Compares versions of schemas: breaking with a witness, safe with a proof, or\n" +
        "unproven. Subjects are folders of versions under schemas/.",
    )
    .addHelpText("after", exitCodesText);
  command.addCommand(checkCommand(terminal, finish));
  command.addCommand(compatCommand(terminal, finish));
  command.addCommand(initCommand(terminal, finish));
  command.addCommand(releaseCommand(terminal, finish));
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

function checkCommand(terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("check")
    .summary("compare the versions that meet")
    .option("-s, --schemas <DIR>", "folder of the subjects", "schemas")
    .option("-g, --fixtures <DIR>", "folder of the golden messages", "fixtures/contracts")
    .option("-a, --against <WHAT>", "git:REF, a folder, lock, or an installed package")
    .addOption(new Option("-f, --format <F>", "how to report").choices(reportFormats).default("text"))
    .option("--types <MODULE>", "message types that must agree with the files; their upcasters apply")
    .option("--from <SOURCE>", "a module with schemas, or a .json or .proto file, that must agree with the files")
    .option("--subject <NAME>", "the subject of --from; default: as init names it")
    .option("--strict", "fail when a pair is unproven")
    .option("--budget <STEPS>", "steps for each pair; default: 10000000")
    .addHelpText("after", exitCodesText)
    .action(async ({ schemas, fixtures, against, format, strict, types, from, subject, budget }: Options) => {
      const { checkContracts } = await import("./contract-check.ts");
      const folder = String(schemas);
      const other = typeof against === "string" ? against : undefined;
      finish(
        await checkContracts(
          {
            folder,
            against: other,
            format: one(format, reportFormats),
            strict: strict === true,
            fixtures: textOf(fixtures),
            types: textOf(types),
            from: textOf(from),
            subject: textOf(subject),
            budget: stepsOf(budget),
          },
          terminal,
        ),
      );
    });
}

function compatCommand(terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("compat")
    .summary("compare two schema files")
    .argument("<OLD>", "a JSON Schema or a .proto file")
    .argument("<NEW>", "the version after it")
    .addOption(new Option("-d, --direction <D>", "who reads whom").choices(directions).default("backward"))
    .addOption(
      new Option("-c, --content-model <M>", "what writers send").choices(contentModels).default("declared-writer"),
    )
    .addOption(new Option("-p, --policy <P>", "what of a Protobuf schema must stay").choices(policies).default("json"))
    .addOption(
      new Option("--formats <F>", "what format in a JSON Schema means").choices(formatPolicies).default("either"),
    )
    .addOption(new Option("-f, --format <F>", "how to report").choices(reportFormats).default("text"))
    .option("--strict", "fail when the pair is unproven")
    .option("--budget <STEPS>", "steps for the pair; default: 10000000")
    .addHelpText("after", exitCodesText)
    .action(async (older: string, newer: string, options: Options) => {
      const { compareFiles } = await import("./contract-compat.ts");
      const chosen = {
        direction: one(options.direction, directions),
        contentModel: one(options.contentModel, contentModels),
        policy: one(options.policy, policies),
        formats: one(options.formats, formatPolicies),
        report: one(options.format, reportFormats),
        strict: options.strict === true,
        budget: stepsOf(options.budget) ?? defaultBudget,
      };
      finish(await compareFiles([older, newer], chosen, terminal));
    });
}

const directions = ["backward", "forward", "full"] as const;
const contentModels = ["declared-writer", "as-written"] as const;
const policies = ["json", "wire", "source"] as const;
const formatPolicies = ["either", "annotation", "assertion"] as const;

function initCommand(terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("init")
    .summary("write versions from a source, and subject.json")
    .option("-s, --schemas <DIR>", "folder of the subjects", "schemas")
    .option("--from <MODULE>", "a module with schemas or message types, or a .json or .proto file")
    .option("--export <NAME>", "its export; default: the default one, or every one")
    .option("--messages <FILE>", "captured messages: envelopes as JSON, one a line")
    .option("--subject <NAME>", "the subject; default: what the source says")
    .addHelpText("after", exitCodesText)
    .action(async (options: Options) => {
      const { initContracts } = await import("./contract-init.ts");
      const command = {
        schemas: String(options.schemas),
        from: textOf(options.from),
        export: textOf(options.export),
        messages: textOf(options.messages),
        subject: textOf(options.subject),
      };
      finish(await initContracts(command, terminal));
    });
}

function folderCommand(
  name: "record" | "verify" | "matrix",
  summary: string,
  { terminal, finish }: { readonly terminal: Terminal; readonly finish: (code: number) => void },
): Command {
  const command = new Command(name)
    .summary(summary)
    .option("-s, --schemas <DIR>", "folder of the subjects", "schemas")
    .option("-g, --fixtures <DIR>", "folder of the golden messages", "fixtures/contracts");
  if (name === "matrix") command.option("--html <FILE>", "also write the matrix as one HTML page");
  if (name !== "record")
    command.option("--types <MODULE>", "message types that read the messages, with their upcasters");
  return command.addHelpText("after", exitCodesText).action(async ({ schemas, fixtures, html, types }: Options) => {
    const { goldenCommand } = await import("./contract-golden.ts");
    const folders = { schemas: String(schemas), fixtures: String(fixtures) };
    const asked = { name, ...folders, html: textOf(html), types: textOf(types) };
    finish(await goldenCommand(asked, terminal));
  });
}

function releaseCommand(terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("release")
    .summary("lock versions, so that edits and deletions fail the check")
    .argument("[SUBJECT...]", "default: every subject")
    .option("-s, --schemas <DIR>", "folder of the subjects", "schemas")
    .addHelpText("after", exitCodesText)
    .action(async (names: readonly string[], { schemas }: Options) => {
      const { releaseVersions } = await import("./contract-release.ts");
      finish(await releaseVersions({ schemas: String(schemas), names }, terminal));
    });
}

function deployedCommand(terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("deployed")
    .summary("note which versions a deployed service sends and reads")
    .argument("<SERVICE>", "a service of inFlight")
    .argument("<VERSION>", "the version of the service")
    .requiredOption("-e, --env <ENV>", "the environment, e.g. prod")
    .option("-s, --schemas <DIR>", "folder of the subjects", "schemas")
    .option("--file <FILE>", "the deployments", "deployments.json")
    .addHelpText("after", exitCodesText)
    .action(async (service: string, version: string, { schemas, env, file }: Options) => {
      const { recordDeployment } = await import("./contract-deploy.ts");
      const place = { schemas: String(schemas), file: String(file), environment: String(env) };
      finish(await recordDeployment({ ...place, service, version }, terminal));
    });
}

function canDeployCommand(terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("can-deploy")
    .summary("check a service against those that are deployed")
    .argument("<SERVICE>", "a service of inFlight")
    .requiredOption("-e, --env <ENV>", "the environment, e.g. prod")
    .option("-s, --schemas <DIR>", "folder of the subjects", "schemas")
    .option("--file <FILE>", "the deployments", "deployments.json")
    .option("--types <MODULE>", "message types whose upcasters apply")
    .addOption(new Option("-f, --format <F>", "how to report").choices(reportFormats).default("text"))
    .addHelpText("after", exitCodesText)
    .action(async (service: string, { schemas, env, file, types, format }: Options) => {
      const { canDeploy } = await import("./contract-deploy.ts");
      const place = { schemas: String(schemas), file: String(file), environment: String(env) };
      const chosen = { types: textOf(types), format: one(format, reportFormats) };
      finish(await canDeploy({ ...place, ...chosen, service }, terminal));
    });
}

function replayCommand(terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("replay")
    .summary("show a witness failing again")
    .argument("<REPORT>", "the output of check or compat with --format json")
    .argument("<HASH>", "the hash of the witness, or its beginning")
    .option("-s, --schemas <DIR>", "the subjects of today; default: the report's own schemas")
    .action(async (report: string, hash: string, { schemas }: Options) => {
      const { replayWitness } = await import("./contract-replay.ts");
      finish(await replayWitness({ report, hash, schemas: textOf(schemas) }, terminal));
    });
}

function stepsOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const text = textOf(value) ?? "";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Misuse(`--budget ${text}: must be a number of steps`);
}

function one<const Value extends string>(value: unknown, known: readonly Value[]): Value {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw new Misuse(`${String(value)} is not one of: ${known.join(", ")}`);
  return found;
}
