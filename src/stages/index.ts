export { compression, type CompressionOptions } from "./compression.ts";
export type { Compression } from "./content-encoding.ts";
