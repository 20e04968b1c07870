import { type DeploymentStore, deploymentStore } from "../../contract/subjects/deployment-store.ts";
import { type Deployments, deployedTo } from "../../contract/subjects/deployments.ts";
import { Misuse } from "../terminal.ts";

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
