import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DeploymentStore, deploymentStore } from "../../contract/subjects/deployment-store.ts";
import { type Deployments, deployedTo } from "../../contract/subjects/deployments.ts";
import { textOfFile } from "../../contract/subjects/subject-files.ts";
import { fileProblem, Misuse } from "../terminal.ts";

/** The text of a file. @throws Misuse when it cannot be read, SobreError `InvalidArgument` when it is not UTF-8. */
export function readText(file: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Misuse(fileProblem(file, error));
  }
  return textOfFile(bytes, file);
}

/** A file of a folder, parsed, or `undefined` when it is not there. */
export function readIfThere<T>(folder: string, name: string, parse: (text: string) => T): T | undefined {
  const file = join(folder, name);
  return existsSync(file) ? parse(readText(file)) : undefined;
}

/** The deployments of an environment, by service. @throws Misuse when there are none: nothing would be compared. */
export async function deployedIn(environment: string, file = "deployments.json"): Promise<Deployments[string]> {
  const all = await storeOf(file).read();
  const deployed = deployedTo(all, environment);
  if (Object.keys(deployed).length > 0) return deployed;
  const known = Object.keys(all).join(", ") || "none";
  throw new Misuse(
    `--env ${environment}: no deployment to it is recorded. Environments in --file: ${known}. Record one with sobre contract deployed, or skip this check for the first deployment`,
  );
}

/** Where deployments are kept: a file, or a URL with the credentials of the environment. */
export function storeOf(place: string): DeploymentStore {
  return deploymentStore(place, process.env["SOBRE_DEPLOYMENTS_AUTH"]);
}
