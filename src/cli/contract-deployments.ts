import { type DeploymentStore, deploymentStore } from "../contract/subjects/deployment-store.ts";
import { type Deployments, deployedTo } from "../contract/subjects/deployments.ts";
import { Misuse } from "./misuse.ts";

/** The deployments of an environment, by service. @throws Misuse when there are none: nothing would be compared. */
export async function deployedIn(environment: string, file = "deployments.json"): Promise<Deployments[string]> {
  const all = await storeOf(file).read();
  const deployed = deployedTo(all, environment);
  if (Object.keys(deployed).length > 0) return deployed;
  const known = Object.keys(all).join(", ") || "none";
  throw new Misuse(
    `--env ${environment}: no deployment there is recorded in --file, which has the environments: ${known}. Record what runs there with sobre contract deployed; before the first deployment to it there is nothing to check`,
  );
}

/** Where deployments are kept: a file, or a URL with the credentials of the environment. */
export function storeOf(place: string): DeploymentStore {
  return deploymentStore(place, process.env["SOBRE_DEPLOYMENTS_AUTH"]);
}
