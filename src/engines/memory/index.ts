export { memoryEngine, type MemoryEngineOptions, type TopicSetup } from "./memory-engine.ts";
