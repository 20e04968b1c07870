export { memoryEngine, type MemoryEngineOptions } from "./memory-engine.ts";
