import { type DeploymentStore, deploymentStore } from "../contract/subjects/deployment-store.ts";
import { type Deployments, deployedTo } from "../contract/subjects/deployments.ts";

/** The deployments of an environment, by service. */
export async function deployedIn(environment: string, file = "deployments.json"): Promise<Deployments[string]> {
  return deployedTo(await storeOf(file).read(), environment);
}

/** Where deployments are kept: a file, or a URL with the credentials of the environment. */
export function storeOf(place: string): DeploymentStore {
  return deploymentStore(place, process.env["SOBRE_DEPLOYMENTS_AUTH"]);
}
