import { existsSync, writeFileSync } from "node:fs";
import { formatReport } from "../contract/report/format-report.ts";
import type { ReportFormat } from "../contract/report/check-report.ts";
import { checkPair, type CheckedPair } from "../contract/subjects/checked-pair.ts";
import { type Deployments, parseDeployments, subjectsAmong, withDeployed } from "../contract/subjects/deployments.ts";
import { folderFiles, readSubjects } from "../contract/subjects/subject.ts";
import { pairsWithin } from "../contract/subjects/subject-pairs.ts";
import { upcastBy } from "../contract/subjects/upcast-by.ts";
import { exitCodeOf } from "./contract-check.ts";
import { contractExitCodes, readText, reportingUnreadable, witnessCodecs } from "./contract-files.ts";
import { typesOf } from "./contract-sources.ts";
import { Misuse } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** A service, an environment, and the file that says what is deployed there. */
export interface DeployCommand {
  readonly schemas: string;
  readonly file: string;
  readonly service: string;
  readonly environment: string;
}

/** Notes the versions that a service sends and reads as deployed. */
export async function recordDeployment(
  command: DeployCommand & { readonly version: string },
  terminal: Terminal,
): Promise<number> {
  return reportingUnreadable(terminal, async () => {
    const { file, schemas, service, version, environment } = command;
    const deployments = withDeployed(readDeployments(file), command, readSubjects(folderFiles(schemas)));
    writeFileSync(file, `${JSON.stringify(deployments, undefined, 2)}\n`);
    await terminal.out(`${service} ${version} is deployed to ${environment}\n`);
    return contractExitCodes.proven;
  });
}

/** Checks a service as it is here against every other one that is deployed; resolves to the exit code. */
export async function canDeploy(
  command: DeployCommand & { readonly format: ReportFormat; readonly types: string | undefined },
  terminal: Terminal,
): Promise<number> {
  return reportingUnreadable(terminal, async () => {
    const { file, schemas, service, environment, format } = command;
    const deployed = readDeployments(file)[environment] ?? {};
    const subjects = subjectsAmong(readSubjects(folderFiles(schemas)), service, deployed);
    if (subjects.length === 0) throw new Misuse(`no subject.json lists ${service} in inFlight`);
    const types = await typesOf(command.types);
    const pairs: CheckedPair[] = [];
    for (const pair of subjects.flatMap(pairsWithin))
      pairs.push(
        await checkPair(pair, { codecs: witnessCodecs(), upcast: types.length === 0 ? undefined : upcastBy(types) }),
      );
    const report = { pairs, changes: [], problems: [], locked: 0, folder: schemas, strict: true };
    await terminal.out(formatReport(report, format));
    const code = exitCodeOf(report);
    const others = Object.keys(deployed).filter((name) => name !== service).length;
    terminal.err(
      `sobre: ${service} ${code === contractExitCodes.proven ? "can" : "cannot"} be deployed to ${environment}, next to ${others} other services\n`,
    );
    return code;
  });
}

function readDeployments(file: string): Deployments {
  return existsSync(file) ? parseDeployments(readText(file)) : {};
}
