import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { HttpRequest } from "./http-message.ts";

/** The JSON in the body of a request; `{}` when it is empty. @throws SobreError `InvalidArgument` when it is not JSON. */
export async function jsonBody(request: HttpRequest, most: number): Promise<unknown> {
  const bytes = await request.body(most);
  try {
    return bytes.byteLength === 0 ? {} : JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new SobreError("InvalidArgument", "The body is not JSON in UTF-8.", { cause: error });
  }
}
