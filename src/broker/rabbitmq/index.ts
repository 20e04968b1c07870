export { rabbitmqEngine, type RabbitmqEngineOptions } from "./rabbitmq-engine.ts";
