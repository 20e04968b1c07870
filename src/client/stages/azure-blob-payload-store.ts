import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { PayloadStore } from "./claim-check.ts";
import { memberOfError, objectPayloadStore } from "./object-payload.ts";

/** The methods of `ContainerClient` of `@azure/storage-blob` that a store calls. */
export interface AzureBlobContainer {
  getBlockBlobClient(name: string): {
    uploadData(data: Uint8Array): Promise<unknown>;
    download(): Promise<{
      readonly contentLength?: number | undefined;
      /** A stream of bytes, in Node. */
      readonly readableStreamBody?: unknown;
    }>;
  };
}

/** Options of {@link azureBlobPayloadStore}. */
export interface AzureBlobPayloadStoreOptions {
  /** A `ContainerClient` of `@azure/storage-blob`; the container must exist. */
  readonly container: AzureBlobContainer;
  /** The beginning of all names, e.g. `claims/`. Default: none. */
  readonly prefix?: string | undefined;
}

const azureBlobPayloadStoreChecks: OptionChecks<AzureBlobPayloadStoreOptions> = {
  container: is.methods("a ContainerClient of @azure/storage-blob", "getBlockBlobClient"),
  prefix: is.name,
};

/**
 * Creates a store for claim checks in a container of Azure Blob Storage; for Node.
 *
 * Each payload is a block blob with a random name. Remove old ones by a lifecycle policy of the account, which must leave
 * them for as long as messages live.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function azureBlobPayloadStore(options: AzureBlobPayloadStoreOptions): PayloadStore {
  checkOptions(options, azureBlobPayloadStoreChecks, { needed: ["container"] });
  const { container, prefix = "" } = options;
  return objectPayloadStore(prefix, {
    put: (key, payload) => container.getBlockBlobClient(key).uploadData(payload),
    async get(key) {
      const { readableStreamBody, contentLength } = await container.getBlockBlobClient(key).download();
      return { body: readableStreamBody, size: contentLength };
    },
    isMissing: (error) => memberOfError(error, "code") === "BlobNotFound",
  });
}
