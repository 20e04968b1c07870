export { HttpEndpoint } from "./http-endpoint.ts";
export type { HttpRequest, HttpResponse } from "./http-message.ts";
