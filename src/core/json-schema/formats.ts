/** The test of a format, or `annotation` for one that describes numbers and is never asserted. */
export type FormatTest = ((text: string) => boolean) | "annotation";

/**
 * The formats of JSON Schema (2020-12, Validation, 7.3) and of numbers (OpenAPI 3.1, Data Types), each with its test.
 *
 * `undefined` marks a format that has no test here: it can annotate, and asserting it is refused.
 */
export const formats: Readonly<Record<string, FormatTest | undefined>> = {
  date: isDate,
  "date-time": isDateTime,
  time: isTime,
  duration: (text) => /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/.test(text),
  email: isEmail,
  "idn-email": isIdnEmail,
  hostname: isHostname,
  "idn-hostname": undefined,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: (text) => isReference(text) && /^[a-z][a-z\d+.-]*:/i.test(text),
  "uri-reference": isReference,
  iri: (text) => isIriReference(text) && /^[a-z][a-z\d+.-]*:/i.test(text),
  "iri-reference": isIriReference,
  "uri-template": isTemplate,
  uuid: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  "json-pointer": (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text),
  "relative-json-pointer": (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(text),
  regex: isPattern,
  double: "annotation",
  float: "annotation",
  int32: "annotation",
  int64: "annotation",
};

/** RFC 3339, section 5.6, full-date. */
function isDate(text: string): boolean {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1) return false;
  // Day 0 of the next month; 400 years later the calendar is the same.
  return Number(day) <= new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
}

/** RFC 3339, section 5.6, full-time; a leap second is at the end of a day in UTC. */
function isTime(text: string): boolean {
  const [all, hours = "", minutes = "", seconds = "", sign, offsetHours = "0", offsetMinutes = "0"] =
    /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(text) ?? [];
  if (all === undefined) return false;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(offsetHours) > 23 || Number(offsetMinutes) > 59)
    return false;
  if (Number(seconds) < 60) return true;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -1 : 1);
  const day = 24 * 60;
  return Number(seconds) === 60 && (Number(hours) * 60 + Number(minutes) - offset + day) % day === day - 1;
}

function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^t$/i.test(text.slice(10, 11)) && isTime(text.slice(11));
}

/** RFC 5321, section 4.1.2, Mailbox. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1) return false;
  const isLocal =
    /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local) || /^"(?:[ !#-[\]-~]|\\[ -~])*"$/.test(local);
  const [, literal] = /^\[(.*)\]$/.exec(domain) ?? [];
  if (literal === undefined) return isLocal && isHostname(domain);
  return isLocal && (/^ipv6:/i.test(literal) ? isIpv6(literal.slice(5)) : isIpv4(literal));
}

/** RFC 6531, section 3.3: any characters beyond ASCII in the local part, and those of RFC 5892 in the domain. */
function isIdnEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(0, at)).replaceAll(/[^\0-\u007f]/gu, "x");
  const inDomain = /(?![\0-\u007f])(?:[\p{L}\p{M}\p{N}\u00b7\u0375\u05f3\u05f4\u30fb\u200c]|\u200d)/gu;
  return isEmail(`${local}${text.slice(Math.max(0, at)).replaceAll(inDomain, "x")}`);
}

/** RFC 1123, section 2.1. */
function isHostname(text: string): boolean {
  if (text.length > 253) return false;
  return text.split(".").every((label) => label.length < 64 && /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i.test(label));
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
}

/** RFC 4291, section 2.2. */
function isIpv6(text: string): boolean {
  const [head = "", tail, more] = text.split("::");
  if (more !== undefined) return false;
  const groups = [head, tail ?? ""].flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1);
  const hasIpv4 = last !== undefined && last.includes(".") && isIpv4(last) && text.endsWith(last);
  const hexadecimal = hasIpv4 ? groups.slice(0, -1) : groups;
  if (!hexadecimal.every((group) => /^[\da-f]{1,4}$/i.test(group))) return false;
  const size = hexadecimal.length + (hasIpv4 ? 2 : 0);
  return tail === undefined ? size === 8 : size < 8;
}

/** RFC 3986, section 4.1; `text` may be relative. */
function isReference(text: string): boolean {
  const [all, scheme, , authority, path = "", query = "", fragment = ""] =
    /^([a-z][a-z\d+.-]*:)?(\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(text) ?? [];
  if (all === undefined) return false;
  if (authority !== undefined && !isAuthority(authority)) return false;
  // Up to its first slash a relative path has no colon, since that would end a scheme.
  if (scheme === undefined && authority === undefined && /^[^/]*:/.test(path)) return false;
  const isPath = /^(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2})*$/i.test(path);
  return isPath && [query, fragment].every((part) => /^(?:[?#](?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*)?$/i.test(part));
}

function isAuthority(text: string): boolean {
  const [, user = "", address, host = ""] = /^(?:([^@]*)@)?(?:\[([^\]]*)\]|([^:[\]@]*))(?::\d*)?$/.exec(text) ?? [
    undefined,
    "%",
  ];
  const isAddress = address === undefined || isIpv6(address) || /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(address);
  const named = /^(?:[\w.~!$&'()*+,;=:-]|%[\da-f]{2})*$/i;
  return isAddress && named.test(user) && named.test(host);
}

/** RFC 3987, section 2.2. */
function isIriReference(text: string): boolean {
  const own = /[\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\u{10000}-\u{efffd}]/gu;
  return isReference(text.replaceAll(own, "x"));
}

/** RFC 6570, section 2. */
function isTemplate(text: string): boolean {
  const name = String.raw`(?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*(?:\*|:[1-9]\d{0,3})?`;
  const expression = new RegExp(String.raw`\{[+#./;?&=,!@|]?${name}(?:,${name})*\}`, "g");
  // Something stays in place, so that % before an expression does not meet what is behind it.
  const literals = text.replaceAll(expression, "/");
  return /^(?:[^\0- "'%<>\\^`{|}\u007f]|%[\da-f]{2})*$/i.test(literals);
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
