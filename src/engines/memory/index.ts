export type { TopicSetup } from "../../engine/entity-setup.ts";
export { memoryEngine, type MemoryEngineOptions } from "./memory-engine.ts";
