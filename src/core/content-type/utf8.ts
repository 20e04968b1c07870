const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/** The text of UTF-8 bytes, without a mark. @throws TypeError for bytes that are not UTF-8. */
export const readUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);

/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);
