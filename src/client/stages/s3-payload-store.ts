import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { PayloadStore } from "./claim-check.ts";
import { memberOfError, objectPayloadStore } from "./object-payload.ts";

/** The methods of `S3` of `@aws-sdk/client-s3` that a store calls. */
export interface S3ObjectClient {
  putObject(input: { readonly Bucket: string; readonly Key: string; readonly Body: Uint8Array }): Promise<unknown>;
  getObject(input: { readonly Bucket: string; readonly Key: string }): Promise<{
    /** A stream of bytes, in Node. */
    readonly Body?: unknown;
    readonly ContentLength?: number | undefined;
  }>;
}

/** Options of {@link s3PayloadStore}. */
export interface S3PayloadStoreOptions {
  /** An `S3` of `@aws-sdk/client-s3`, or any client with its methods `putObject` and `getObject`. It stays open. */
  readonly client: S3ObjectClient;
  readonly bucket: string;
  /** The beginning of all keys, e.g. `claims/`. Default: none. */
  readonly prefix?: string | undefined;
}

const s3PayloadStoreChecks: OptionChecks<S3PayloadStoreOptions> = {
  client: is.methods("an S3 client of @aws-sdk/client-s3", "putObject", "getObject"),
  bucket: is.name,
  prefix: is.name,
};

/**
 * Creates a store for claim checks in a bucket of Amazon S3 or a service that speaks its protocol; for Node.
 *
 * Each payload is an object with a random name. Remove old ones by a lifecycle rule of the bucket, which must leave them
 * for as long as messages live.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function s3PayloadStore(options: S3PayloadStoreOptions): PayloadStore {
  checkOptions(options, s3PayloadStoreChecks, { needed: ["client", "bucket"] });
  const { client, bucket: Bucket, prefix = "" } = options;
  return objectPayloadStore(prefix, {
    put: (key, payload) => client.putObject({ Bucket, Key: key, Body: payload }),
    async get(key) {
      const { Body, ContentLength } = await client.getObject({ Bucket, Key: key });
      return { body: Body, size: ContentLength };
    },
    isMissing: (error) => memberOfError(error, "name") === "NoSuchKey",
  });
}
