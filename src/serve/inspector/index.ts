export { createInspector, type Inspector } from "./inspector.ts";
export type { AuditEvent, InspectorCaller, InspectorOptions } from "./inspector-options.ts";
