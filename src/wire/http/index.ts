export { readBrokerProperties, writeBrokerProperties } from "./broker-properties-header.ts";
export { envelopeFromHttp, envelopeToHttp, type HttpEnvelope, type HttpEnvelopeOptions } from "./http-envelope.ts";
export { omittedProperties, readPropertyHeaders, writePropertyHeaders } from "./property-headers.ts";
export { readSas, type SharedAccessSignature, writeSas } from "./sas.ts";
