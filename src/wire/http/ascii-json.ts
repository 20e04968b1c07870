/** JSON text in ASCII, as headers need it. */
export const inAscii = (json: string): string =>
  json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
