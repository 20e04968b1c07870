export { type Access, allows, type Grant, type Right } from "./access.ts";
export { BrokerConnection, type BrokerConnectionOptions, type FirstUse } from "./broker-connection.ts";
