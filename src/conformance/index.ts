export * from "./codec.ts";
