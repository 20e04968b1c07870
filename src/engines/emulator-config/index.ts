export { type ConfiguredEntities, type ConfiguredTopic, emulatorConfig } from "./emulator-config.ts";
export { emulatorConfigSchema } from "./schema.ts";
