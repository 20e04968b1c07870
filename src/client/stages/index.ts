// Stages that need Node; in browsers run `cloudEvents()` of sobre/cloud-events and `registryIds()` of sobre/message.
export {
  type AzureBlobContainer,
  azureBlobPayloadStore,
  type AzureBlobPayloadStoreOptions,
} from "./azure-blob-payload-store.ts";
export { claimCheck, claimCheckEncoding, type ClaimCheckOptions, type PayloadStore } from "./claim-check.ts";
export { compression, type CompressionOptions } from "./compression.ts";
export type { Compression } from "./content-encoding.ts";
export { encryptedEncoding, encryption, type EncryptionKeys, type EncryptionOptions } from "./encryption.ts";
export { filePayloadStore, type FilePayloadStore, type FilePayloadStoreOptions } from "./file-payload-store.ts";
export { type S3ObjectClient, s3PayloadStore, type S3PayloadStoreOptions } from "./s3-payload-store.ts";
