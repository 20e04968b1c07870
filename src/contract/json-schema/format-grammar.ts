/** The grammars behind formats, as patterns: RFC 3986 (URI), 3987 (IRI), 4291 (IPv6), 3339 (times) and 5321 (mailboxes). */

/** Two patterns: one whose texts every validator accepts, and one whose texts at least one does. */
interface Bounds {
  readonly inner: string;
  readonly outer: string;
}

/** The pattern of texts that match one of several patterns. */
export function either(...patterns: readonly string[]): string {
  return `(?:${patterns.join("|")})`;
}

/** The pattern of a whole text. */
export function whole(pattern: string): string {
  return `^${pattern}$`;
}

const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";

/** Four numbers up to 255 without leading zeros. */
export const ipv4: string = `${octet}(?:\\.${octet}){3}`;

const hextet = "[0-9A-Fa-f]{1,4}";
const lastTwo = either(`${hextet}:${hextet}`, ipv4);

/** An address of RFC 4291 (section 2.2), without a zone. */
export const ipv6: string = either(
  `(?:${hextet}:){6}${lastTwo}`,
  `::(?:${hextet}:){5}${lastTwo}`,
  `(?:${hextet})?::(?:${hextet}:){4}${lastTwo}`,
  `(?:(?:${hextet}:){0,1}${hextet})?::(?:${hextet}:){3}${lastTwo}`,
  `(?:(?:${hextet}:){0,2}${hextet})?::(?:${hextet}:){2}${lastTwo}`,
  `(?:(?:${hextet}:){0,3}${hextet})?::${hextet}:${lastTwo}`,
  `(?:(?:${hextet}:){0,4}${hextet})?::${lastTwo}`,
  `(?:(?:${hextet}:){0,5}${hextet})?::${hextet}`,
  `(?:(?:${hextet}:){0,6}${hextet})?::`,
);

/** The characters that RFC 3987 adds to those of a URI, as a character class. */
const beyondAscii = `\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}${Array.from({ length: 14 }, (_, plane) => {
  const first = (plane + 1).toString(16);
  return `\\u{${first}${plane === 13 ? "1000" : "0000"}}-\\u{${first}fffd}`;
}).join("")}`;
const privateUse = "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}";

const escaped = "%[0-9A-Fa-f]{2}";
const subDelimiters = "!$&'()*+,;=";
const scheme = "[A-Za-z][A-Za-z0-9+.\\-]*";

/**
 * Whole addresses and references, with further characters beyond those of RFC 3986. The inner ones have something after the
 * scheme, and the outer ones colons anywhere and hosts after one slash, as validators differ there.
 */
function addresses(more: string, moreInQuery: string): { readonly absolute: Bounds; readonly reference: Bounds } {
  const plain = `A-Za-z0-9._~\\-${more}`;
  const symbol = (others: string): string => either(`[${plain}${subDelimiters}${others}]`, escaped);
  const [letter, part] = [symbol(":@"), `(?:/${symbol(":@")}*)*`];
  const address = either(ipv6, `[Vv][0-9A-Fa-f]+\\.[A-Za-z0-9._~\\-${subDelimiters}:]+`);
  const authority = `(?:${symbol(":")}*@)?(?:\\[${address}\\]|${symbol("")}*)(?::[0-9]*)?`;
  const tail = `(?:\\?${symbol(`:@/?${moreInQuery}`)}*)?(?:#${symbol(":@/?")}*)?`;
  const paths = [`//${authority}${part}`, `/(?:${letter}+${part})?`];
  const loosely = [...paths, `/${authority}${part}`, `${letter}*${part}`];
  const inner = `${scheme}:${either(...paths, `${letter}+${part}`)}${tail}`;
  const outer = `${scheme}:${either(...loosely)}${tail}`;
  return {
    absolute: { inner, outer },
    reference: {
      inner: either(inner, `${either(...paths, `${symbol("@")}+${part}`, "")}${tail}`),
      outer: either(outer, `${either(...loosely)}${tail}`),
    },
  };
}

/** RFC 3986, sections 3 and 4.1. */
export const uri: ReturnType<typeof addresses> = addresses("", "");

/** RFC 3987, section 2.2. */
export const iri: ReturnType<typeof addresses> = addresses(beyondAscii, privateUse);

const variable = (dot: string): string => {
  const letter = either("[A-Za-z0-9_]", escaped);
  return `${letter}(?:${dot}${letter})*(?::[1-9][0-9]{0,3}|\\*)?`;
};
const template = (variables: string, literal: string): string =>
  `${either(`[${literal}]`, escaped, `\\{[+#./;?&=,!@|]?${variables}(?:,${variables})*\\}`)}*`;

/** RFC 6570, section 2; the inner one without what some validators refuse. */
export const uriTemplate: Bounds = {
  inner: template(variable(""), `!#$&(-;=?-\\[\\]_a-z~${beyondAscii}`),
  outer: template(variable("\\.?"), `^\\u{0}-\\u{20}"<>%\\\\^\`{|}`),
};

const [hour, minute] = ["(?:[01][0-9]|2[0-3])", "[0-5][0-9]"];

/** RFC 3339, section 5.6; the outer one with leap seconds anywhere and shorter offsets. */
export const time: Bounds = {
  inner: `${hour}:${minute}:${minute}(?:\\.[0-9]+)?(?:[Zz]|[+\\-]${hour}:${minute})`,
  outer: `${hour}:${minute}:(?:${minute}|60)(?:\\.[0-9]+)?(?:[Zz]|[+\\-]${hour}(?::?${minute})?)`,
};

const leapYear = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";

/** Days that exist (RFC 3339, section 5.7). */
export const date: string = either(
  "[0-9]{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
  "[0-9]{4}-(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
  "[0-9]{4}-02-(?:0[1-9]|1[0-9]|2[0-8])",
  `${leapYear}-02-29`,
);

const [number, seconds] = ["[0-9]+", "[0-9]+S"];
const clock = `T${either(`${number}H(?:${number}M(?:${seconds})?)?`, `${number}M(?:${seconds})?`, seconds)}`;
const days = either(`${number}Y(?:${number}M(?:${number}D)?)?`, `${number}M(?:${number}D)?`, `${number}D`);

/** RFC 3339, appendix A; the outer one for validators that let any part be left out. */
export const duration: Bounds = {
  inner: `P${either(`${days}(?:${clock})?`, clock, `${number}W`)}`,
  outer: `P(?:[0-9]+[YMDW][0-9YMDTHS]*|T[0-9]+[HMS][0-9MS]*)`,
};

/** A label of a host name without the hyphens that mark Punycode. */
const label = "(?:[A-Za-z0-9]|[A-Za-z0-9]{2}|[A-Za-z0-9][A-Za-z0-9\\-][A-Za-z0-9](?:[A-Za-z0-9\\-]{0,58}[A-Za-z0-9])?)";
const anyLabel = "[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?";

/** RFC 1123, section 2.1; the inner one of up to four labels, so that it never grows beyond 253 characters. */
export const hostname: Bounds = {
  inner: `${label}(?:\\.${label}){0,3}`,
  outer: `${anyLabel}(?:\\.${anyLabel})*\\.?`,
};

/** Letters that internationalised names surely take, whatever their neighbours. */
const letters =
  "a-z0-9\\u{df}-\\u{f6}\\u{f8}-\\u{ff}\\u{3b1}-\\u{3c1}\\u{430}-\\u{44f}\\u{3041}-\\u{3096}\\u{4e00}-\\u{9fa5}\\u{ac00}-\\u{d7a3}";
const wideLabel = `[\\p{L}\\p{M}\\p{N}\\-\\u{b7}\\u{375}\\u{5f3}\\u{5f4}\\u{200c}\\u{200d}\\u{30fb}]+`;

/** RFC 5890, section 2.3; the rules on neighbouring letters are left between the two. */
export const idnHostname: Bounds = {
  inner: `[${letters}]{1,15}(?:\\.[${letters}]{1,15}){0,3}`,
  outer: `${wideLabel}(?:[.\\u{3002}\\u{ff0e}\\u{ff61}]${wideLabel})*[.\\u{3002}\\u{ff0e}\\u{ff61}]?`,
};

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+";
const domainLabel = "[A-Za-z0-9](?:[A-Za-z0-9\\-]*[A-Za-z0-9])?";
const quoted = `"(?:[\\u{20}!#-\\[\\]-~]|\\\\[\\u{20}-~])*"`;
const literal = `\\[(?:${ipv4}|IPv6:${ipv6}|[A-Za-z0-9\\-]*[A-Za-z0-9]:[!-Z^-~]+)\\]`;

/** RFC 5321, section 4.1.2; the inner one without what some validators refuse. */
export const email: Bounds = {
  inner: `${atom}(?:\\.${atom})*@(?:${domainLabel}\\.)+${domainLabel}`,
  outer: `${either(`${atom}(?:\\.${atom})*`, quoted)}@${either(`${domainLabel}(?:\\.${domainLabel})*`, literal)}`,
};

const wideAtom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-\\u{80}-\\u{10ffff}]+";

/** RFC 6531, section 3.3. */
export const idnEmail: Bounds = {
  inner: either(email.inner, `[${letters}]+@[${letters}]{1,15}(?:\\.[${letters}]{1,15}){1,3}`),
  outer: `${either(`${wideAtom}(?:\\.${wideAtom})*`, quoted)}@${either(idnHostname.outer, literal)}`,
};
