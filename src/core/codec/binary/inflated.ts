import { SobreError } from "../../errors/sobre-error.ts";

/**
 * The output of zlib with the option `info`: the bytes and the engine, which counts its input.
 *
 * @throws SobreError `TrailingBytes` for a payload that goes on after its data, which zlib drops silently.
 */
export function inflatedOutput(name: string, result: unknown, payload: Uint8Array): Uint8Array {
  const { buffer, engine }: { readonly buffer?: unknown; readonly engine?: unknown } = { ...Object(result) };
  const read: unknown = typeof engine === "object" && engine !== null ? Reflect.get(engine, "bytesWritten") : undefined;
  if (!(buffer instanceof Uint8Array) || typeof read !== "number")
    throw new SobreError("GeneralError", "zlib ended without an output.");
  // A plain view: a Buffer's own methods differ from those of a Uint8Array.
  if (read === payload.byteLength) return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  throw new SobreError(
    "TrailingBytes",
    `The ${name} data ends at byte ${read}, and ${payload.byteLength - read} bytes follow.`,
    { offset: read },
  );
}

/** The error of data that zlib did not inflate; `tooLarge` makes the one of output beyond `maxOutputLength`. */
export function inflateError(
  name: string,
  cause: unknown,
  payload: Uint8Array,
  tooLarge: (cause: unknown) => SobreError,
): SobreError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ERR_BUFFER_TOO_LARGE") return tooLarge(cause);
  const size = payload.byteLength;
  return code === "Z_BUF_ERROR"
    ? new SobreError("TruncatedPayload", `The ${name} data ends early, at byte ${size}.`, { offset: size, cause })
    : new SobreError("DecodeFailed", `The payload is not valid ${name} data.`, { offset: 0, cause });
}
