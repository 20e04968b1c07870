export type { TopicSetup } from "../../core/engine/entity-setup.ts";
export { memoryEngine, type MemoryEngineOptions } from "./memory-engine.ts";
