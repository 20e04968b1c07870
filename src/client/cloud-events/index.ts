export type { CloudEvent, CloudEventMode, CloudEventType, CloudEventTypes, CloudEventValue } from "./cloud-event.ts";
export {
  type CloudEventEnvelopeOptions,
  cloudEventFromEnvelope,
  cloudEventFromHttp,
  type CloudEventHttp,
  type CloudEventPrefix,
  cloudEventToEnvelope,
  cloudEventToHttp,
  type HttpHeaders,
} from "./cloud-event-binding.ts";
export { cloudEvents, type CloudEventStageOptions } from "./cloud-event-stage.ts";
export { cloudEventFromJson, cloudEventJson, cloudEventToJson } from "./cloud-event-json.ts";
