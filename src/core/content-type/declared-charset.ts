import { type Charset, charsetNamed, unknownCharset } from "./charset.ts";
import type { ContentType } from "./content-type.ts";
import { parameter } from "./parameter.ts";

/** The charset that a content type names, if any. @throws SobreError `UnknownCharset`. */
export function declaredCharset(contentType: ContentType | undefined): Charset | undefined {
  if (contentType === undefined || contentType.parameters.length === 0) return undefined;
  const label = parameter(contentType, "charset");
  if (label === undefined) return undefined;
  const charset = charsetNamed(label);
  if (charset === undefined) throw unknownCharset(`The charset "${label}" of the content type`);
  return charset;
}
