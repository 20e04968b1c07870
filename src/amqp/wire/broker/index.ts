export { type Access, allows, type Grant, type Right } from "./access.ts";
export { BrokerConnection, type BrokerConnectionOptions } from "./broker-connection.ts";
