/** At most 4 ASCII characters, for which a call out of JavaScript takes too long. */
export function shortText(bytes: Uint8Array, at: number, length: number): string {
  const first = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  const third = bytes[at + 2] ?? 0;
  switch (length) {
    case 0:
      return "";
    case 1:
      return String.fromCharCode(first);
    case 2:
      return String.fromCharCode(first, second);
    case 3:
      return String.fromCharCode(first, second, third);
    default:
      return String.fromCharCode(first, second, third, bytes[at + 3] ?? 0);
  }
}
