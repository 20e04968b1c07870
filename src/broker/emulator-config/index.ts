export type {
  EmulatorConfig,
  EmulatorCorrelation,
  EmulatorKey,
  EmulatorNamespace,
  EmulatorProperties,
  EmulatorRule,
  EmulatorSubscription,
  EmulatorTopic,
} from "./config.ts";
export {
  type ConfiguredEntities,
  type ConfiguredKey,
  type ConfiguredNamespace,
  type ConfiguredTopic,
  emulatorConfig,
} from "./emulator-config.ts";
export { emulatorConfigSchema } from "./schema.ts";
