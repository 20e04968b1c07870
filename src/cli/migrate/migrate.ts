import { createHash } from "node:crypto";
import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SingleBar } from "cli-progress";
import type { DotnetContract } from "../../../codecs/dotnet/data-contract/contract.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { createQuarantine } from "../../migration/quarantine.ts";
import { createQueueSource } from "../../migration/read/queue-source.ts";
import { createFileSource, type FileSourceOptions } from "../../migration/read/file-source.ts";
import { migrate, type Migration } from "../../migration/migrate.ts";
import type { MigrationReport } from "../../migration/report/report.ts";
import { reasonOf } from "../../migration/read/file-reason.ts";
import { reportPage } from "../../migration/report/report-page.ts";
import { writeSchemaFiles } from "../../migration/target/schema-files.ts";
import type { TargetFormat } from "../../migration/target/target.ts";
import { type LimitOptions, limitsOf } from "../commander.ts";
import { oneLine, visibleJson } from "../display.ts";
import { readDotnetContracts } from "./dotnet-contracts.ts";
import type { BrokerEndpoint } from "../queue/endpoint.ts";
import { type MigrateHints, reading } from "./migrate-reading.ts";
import { migrateReport } from "./migrate-report.ts";
import { createStyle, exitCodes, migrateExitCodes, Misuse, type Terminal } from "../terminal.ts";

/** The options of `sobre migrate`. */
export interface MigrateOptions extends FileSourceOptions, LimitOptions {
  readonly to: TargetFormat;
  readonly int64: "text" | "number";
  readonly decimal?: "text" | "number";
  /** Whether the references and types of Json.NET are resolved. */
  readonly jsonNet?: boolean;
  /** The member of JSON objects that names their type. */
  readonly typeMember?: string;
  readonly contracts?: readonly string[];
  readonly timeZone?: string;
  readonly out?: string;
  readonly resume?: boolean;
  readonly quarantine?: string;
  readonly schemaOut?: string;
  /** Files for the report; the extension decides the format. */
  readonly report?: readonly string[];
  readonly json?: boolean;
  readonly sample?: number;
  /** Whether JSON inside strings and documents inside byte arrays are opened. */
  readonly unwrap: boolean;
  readonly hex: boolean;
  /** Whether the report shows a message of each type before and after. */
  readonly samples: boolean;
}

/** The input and output of `sobre migrate`. */
interface MigrateCommand extends MigrateOptions {
  /** The file or folder, or the queue. */
  readonly path: string;
  /** The queue to peek at instead of reading the path. */
  readonly endpoint: BrokerEndpoint | undefined;
}

/** Migrates a source and prints the report; resolves to the exit code. */
export async function migrateSource(command: MigrateCommand, terminal: Terminal): Promise<number> {
  const writers = (command.report ?? []).map((file) => [file, reportWriter(file, command.quarantine)] as const);
  if (command.schemaOut !== undefined) checkFolder(command.schemaOut);
  const contracts = await readDotnetContracts(command.contracts);
  const { timeZone, unwrap: unwrapBytes, jsonNet } = command;
  const hints: MigrateHints = { contracts, timeZone, unwrapBytes, jsonNet, limits: limitsOf(command) };
  // The sources run unbuilt; the build writes .js files.
  const module = new URL(
    `./migrate-reading${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`,
    import.meta.url,
  );
  const bar = progressBar(process.stderr);
  try {
    const { path, endpoint, input, include, contentType } = command;
    const source =
      endpoint === undefined
        ? await createFileSource(path, { input, include, contentType })
        : createQueueSource(endpoint.engine, endpoint.entity);
    let pass: string | undefined;
    const migration = await migrate({
      source,
      ...(await reading(hints)),
      threads: { module, data: hints },
      target: { format: command.to, int64: command.int64, decimal: command.decimal, typeMember: command.typeMember },
      output: command.out,
      resume: command.resume,
      fingerprint: fingerprintOf(command, contracts),
      quarantine: command.quarantine === undefined ? undefined : createQuarantine(command.quarantine),
      openJsonText: command.unwrap,
      hex: command.hex,
      samples: command.samples,
      sample: command.sample,
      onProgress(progress) {
        if (progress.pass !== pass) bar.begin(passTitles[progress.pass], source.size);
        pass = progress.pass;
        bar.update(progress.done, progress.messages);
      },
    });
    bar.end();
    return await tell(migration, { command, terminal, writers });
  } catch (error) {
    bar.end();
    return stopped(error, terminal);
  }
}

/** Settings that decide how messages are read. */
function fingerprintOf(command: MigrateCommand, contracts: readonly DotnetContract[]): string {
  const { timeZone, contentType, include, input, maxItems, maxDepth, jsonNet } = command;
  return createHash("sha256")
    .update(JSON.stringify({ contracts, timeZone, contentType, include, input, maxItems, maxDepth, jsonNet }))
    .digest("hex");
}

const passTitles = { infer: "1/2 reading  ", migrate: "2/2 migrating" } as const;

interface Telling {
  readonly command: MigrateCommand;
  readonly terminal: Terminal;
  readonly writers: readonly (readonly [file: string, write: (report: MigrationReport) => string])[];
}

async function tell({ report, schemaFiles }: Migration, { command, terminal, writers }: Telling): Promise<number> {
  if (report.messages === 0) {
    terminal.err(
      `sobre: ${oneLine(command.path)}: holds no messages${command.include === undefined ? "" : " of that name"}\n`,
    );
    return migrateExitCodes.stopped;
  }
  if (command.schemaOut !== undefined) writeSchemaFiles(command.schemaOut, schemaFiles());
  for (const [file, write] of writers) writeFileSync(file, write(report));
  const layout = { ...terminal, quarantine: command.quarantine };
  await terminal.out(
    command.json === true ? `${jsonReport(report)}\n` : migrateReport(report, { ...layout, full: false }),
  );
  return migrateExitCodes[report.verdict];
}

function stopped(error: unknown, terminal: Terminal): number {
  const file = error instanceof Error && "syscall" in error && "path" in error ? String(error.path) : undefined;
  if (!(error instanceof SobreError) && file === undefined) throw error;
  const message = error instanceof SobreError ? error.message : `${file} cannot be written: ${reasonOf(error)}`;
  terminal.err(`sobre: ${oneLine(message)}\n`);
  return error instanceof SobreError && error.code === "InvalidArgument" ? exitCodes.misuse : migrateExitCodes.stopped;
}

/** @throws Misuse for a path that cannot be a folder, before any work is done. */
function checkFolder(path: string): void {
  if (path === "") throw new Misuse("--schema-out needs a folder");
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new Misuse(`--schema-out ${path} is a file, not a folder`);
  }
}

/** @throws Misuse for an unknown extension, and for a file that cannot be written, before any work is done. */
function reportWriter(file: string, quarantine: string | undefined): (report: MigrationReport) => string {
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch (error) {
    throw new Misuse(`--report ${file} cannot be written: ${reasonOf(error)}`);
  }
  if (/\.html?$/i.test(file)) return reportPage;
  if (/\.json$/i.test(file)) return (report) => `${jsonReport(report)}\n`;
  if (/\.txt$/i.test(file))
    return (report) => migrateReport(report, { columns: 100, style: createStyle(false), full: true, quarantine });
  throw new Misuse(`--report ${file}: the name must end in .html, .json or .txt`);
}

function jsonReport(report: MigrationReport): string {
  return visibleJson(report, 2);
}

/** A progress bar. */
interface ProgressBar {
  /** Starts a new stretch of work; `total` is `undefined` when it is unknown. */
  begin(title: string, total: number | undefined): void;
  update(done: number, messages: number): void;
  /** Removes the bar from the screen. */
  end(): void;
}

/** A progress bar on a terminal; anywhere else nothing is shown. */
function progressBar(stream: NodeJS.WriteStream): ProgressBar {
  if (!stream.isTTY) return { begin() {}, update() {}, end() {} };
  let bar: SingleBar | undefined;
  return {
    begin(title, total) {
      bar?.stop();
      const filled = total === undefined ? "" : "{bar} {percentage}% ";
      bar = new SingleBar({
        format: `${title} ${filled}{messages} messages {duration_formatted}`,
        stream,
        clearOnComplete: true,
        hideCursor: true,
        barsize: 30,
        barCompleteChar: "█",
        barIncompleteChar: "░",
        fps: 5,
        etaBuffer: 1,
      });
      bar.start(total ?? 1, 0, { messages: 0 });
    },
    update: (done, messages) => bar?.update(done, { messages }),
    end() {
      bar?.stop();
      bar = undefined;
    },
  };
}
