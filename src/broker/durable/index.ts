export { type DurableEngine, durableEngine, type DurableEngineOptions } from "./durable-engine.ts";
