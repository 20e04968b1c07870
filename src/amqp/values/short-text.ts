/** The longest text that {@link shortText} makes. */
export const longestShort = 24;

const text = String.fromCharCode;

/**
 * The ASCII text of `length` bytes, which must be at most {@link longestShort}.
 *
 * A call out of JavaScript costs more than any of these; reading behind the text does no harm.
 */
// oxlint-disable-next-line complexity -- one case per length
export function shortText(bytes: Uint8Array, at: number, length: number): string {
  const a = bytes[at] ?? 0;
  const b = bytes[at + 1] ?? 0;
  const c = bytes[at + 2] ?? 0;
  const d = bytes[at + 3] ?? 0;
  const e = bytes[at + 4] ?? 0;
  const f = bytes[at + 5] ?? 0;
  const g = bytes[at + 6] ?? 0;
  const h = bytes[at + 7] ?? 0;
  switch (length) {
    case 0:
      return "";
    case 1:
      return text(a);
    case 2:
      return text(a, b);
    case 3:
      return text(a, b, c);
    case 4:
      return text(a, b, c, d);
    case 5:
      return text(a, b, c, d, e);
    case 6:
      return text(a, b, c, d, e, f);
    case 7:
      return text(a, b, c, d, e, f, g);
    case 8:
      return text(a, b, c, d, e, f, g, h);
    default:
  }
  const i = bytes[at + 8] ?? 0;
  const j = bytes[at + 9] ?? 0;
  const k = bytes[at + 10] ?? 0;
  const l = bytes[at + 11] ?? 0;
  const m = bytes[at + 12] ?? 0;
  const n = bytes[at + 13] ?? 0;
  const o = bytes[at + 14] ?? 0;
  const p = bytes[at + 15] ?? 0;
  switch (length) {
    case 9:
      return text(a, b, c, d, e, f, g, h, i);
    case 10:
      return text(a, b, c, d, e, f, g, h, i, j);
    case 11:
      return text(a, b, c, d, e, f, g, h, i, j, k);
    case 12:
      return text(a, b, c, d, e, f, g, h, i, j, k, l);
    case 13:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m);
    case 14:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
    case 15:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    case 16:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
    default:
  }
  const q = bytes[at + 16] ?? 0;
  const r = bytes[at + 17] ?? 0;
  const s = bytes[at + 18] ?? 0;
  const t = bytes[at + 19] ?? 0;
  switch (length) {
    case 17:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
    case 18:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
    case 19:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
    case 20:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
    default:
  }
  const u = bytes[at + 20] ?? 0;
  const v = bytes[at + 21] ?? 0;
  const w = bytes[at + 22] ?? 0;
  const x = bytes[at + 23] ?? 0;
  switch (length) {
    case 21:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
    case 22:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
    case 23:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
    default:
      return text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  }
}
