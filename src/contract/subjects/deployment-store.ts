import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { JsonService } from "../exchange/json-service.ts";
import { type Deployments, deploymentsFrom } from "./deployments.ts";
import { parseJson } from "../sources/exact-json.ts";

/** Where deployments are kept. */
export interface DeploymentStore {
  read(): Promise<Deployments>;
  /** Replaces what `read` gave. @throws SobreError `InvalidOperation` when a service has changed it meanwhile. */
  write(deployments: Deployments): Promise<void>;
}

/** A file, or a document that a service gives to GET and takes by PUT; what is missing is empty. */
export function deploymentStore(place: string, credentials?: string): DeploymentStore {
  return /^https?:/i.test(place) ? serviceStore(new JsonService({ url: place, credentials })) : fileStore(place);
}

function fileStore(file: string): DeploymentStore {
  return {
    read: async () => (existsSync(file) ? deploymentsFrom(parseJson(readFileSync(file, "utf8"), file)) : {}),
    write: async (deployments) => writeFileSync(file, `${JSON.stringify(deployments, undefined, 2)}\n`),
  };
}

function serviceStore(service: JsonService): DeploymentStore {
  let condition: Readonly<Record<string, string>> = {};
  return {
    async read() {
      try {
        const { json, etag } = await service.ask("");
        condition = etag === undefined ? {} : { "if-match": etag };
        return deploymentsFrom(json);
      } catch (error) {
        if (!(error instanceof SobreError) || error.code !== "MessagingEntityNotFound") throw error;
        condition = { "if-none-match": "*" };
        return {};
      }
    },
    write: async (body) => void (await service.ask("", { method: "PUT", body, headers: condition })),
  };
}
