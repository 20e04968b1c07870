import { deployedIn, storeOf } from "./files.ts";
import { formatReport } from "../../contract/report/format-report.ts";
import type { ReportFormat } from "../../contract/report/report-format.ts";
import { checkPair } from "../../contract/subjects/checked-pair.ts";
import { checkListed, pairsOfService, unknownDeployed, withDeployed } from "../../contract/subjects/deployments.ts";
import { subjectsOfFolder } from "../../contract/subjects/subject.ts";
import { upcastBy } from "../../contract/subjects/upcast-by.ts";
import { exitCodeOf } from "./check.ts";
import { witnessCodecs } from "./codecs.ts";
import { typesOf } from "./sources.ts";
import { contractExitCodes, orMisuse, type Terminal } from "../terminal.ts";
import { counted } from "../display.ts";

/** A service, an environment, and the file that says what is deployed there. */
export interface DeployCommand {
  readonly schemas: string;
  /** The deployments: a file, or a URL. */
  readonly file: string;
  /** The environment. */
  readonly env: string;
}

/** The options of `sobre contract can-deploy`. */
export interface CanDeployCommand extends DeployCommand {
  readonly format: ReportFormat;
  /** A module that exports message types whose upcasters apply. */
  readonly types?: string;
}

/** Notes the versions that a service sends and reads as deployed. */
export async function recordDeployment(
  { file, schemas, env, service, version }: DeployCommand & { readonly service: string; readonly version: string },
  terminal: Terminal,
): Promise<number> {
  const deployed = { service, version, environment: env };
  const subjects = subjectsOfFolder(schemas);
  orMisuse(() => checkListed(subjects, service));
  const store = storeOf(file);
  await store.write(withDeployed(await store.read(), deployed, subjects));
  await terminal.out(`${service} ${version} is deployed to ${env}\n`);
  return contractExitCodes.proven;
}

/** Checks a service as it is here against every other one that is deployed; resolves to the exit code. */
export async function canDeploy(
  { file, schemas, env, service, format, types: module }: CanDeployCommand & { readonly service: string },
  terminal: Terminal,
): Promise<number> {
  const subjects = subjectsOfFolder(schemas);
  orMisuse(() => checkListed(subjects, service));
  const deployed = await deployedIn(env, file);
  const types = await typesOf(module);
  const upcast = types.length === 0 ? undefined : upcastBy(types);
  const met = pairsOfService(subjects, service, deployed);
  const pairs = await Array.fromAsync(met, (pair) => checkPair(pair, { codecs: witnessCodecs(), upcast }));
  const problems = unknownDeployed(subjects, service, deployed);
  const report = { pairs, changes: [], problems, locked: 0, folder: schemas, strict: true };
  await terminal.out(formatReport(report, format));
  const code = exitCodeOf(report);
  const others = Object.keys(deployed).filter((name) => name !== service).length;
  const can = code === contractExitCodes.proven ? "can" : "cannot";
  terminal.err(`sobre: ${service} ${can} be deployed to ${env}, next to ${counted(others, "other service")}\n`);
  return code;
}
