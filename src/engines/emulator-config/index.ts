export {
  type ConfiguredEntities,
  type ConfiguredKey,
  type ConfiguredTopic,
  emulatorConfig,
} from "./emulator-config.ts";
export { emulatorConfigSchema } from "./schema.ts";
