export { readBrokerProperties, writeBrokerProperties } from "./broker-properties-header.ts";
export { readPropertyHeaders, writePropertyHeaders } from "./property-headers.ts";
export { readSas, type SharedAccessSignature, writeSas } from "./sas.ts";
