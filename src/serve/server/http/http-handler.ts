import type { Grant } from "../access.ts";
import type { HttpRequest, HttpResponse } from "./http-message.ts";

/** Answers the HTTP requests below a path of a server. */
export interface HttpHandler {
  /** The first part of the paths that it answers: `$`, which begins no entity's name, and lower-case letters, e.g. `$ui`. */
  readonly path: string;
  /**
   * Answers a request.
   *
   * @param grant Resolves to what the client may do, by its `Authorization` header or, on a server without keys, without
   * one. @throws SobreError `UnauthorizedAccess`.
   */
  answer(request: HttpRequest, grant: () => Promise<Grant>): Promise<HttpResponse>;
}
