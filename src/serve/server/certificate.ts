import { checkOption, listOf, name as isName } from "../../core/options/option-checks.ts";
import { createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A private key and its certificate, as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** The validity of a generated certificate. */
const days = 30;

/**
 * Generates a key and a self-signed certificate for `localhost`, its addresses and `hosts` (RFC 5280).
 *
 * Clients must be configured to trust it, e.g. Node with `NODE_EXTRA_CA_CERTS`.
 */
export function selfSignedCertificate(hosts: readonly string[] = []): Certificate {
  checkOption("hosts", hosts, listOf("host names", isName));
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const names = [...new Set(["localhost", "*.localhost", "127.0.0.1", "::1", ...hosts])];
  const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const commonName = sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from("sobre serve")));
  const name = sequence(der(0x31, commonName));
  const now = Date.now();
  const serial = randomBytes(12);
  // A serial number is positive and has no leading zeros.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, serial),
    algorithm,
    name,
    sequence(time(now - 3_600_000), time(now + days * 86_400_000)),
    name,
    createPublicKey(publicKey.export({ type: "spki", format: "pem" })).export({ type: "spki", format: "der" }),
    der(0xa3, sequence(basicConstraints, keyUsage, extendedKeyUsage, alternativeNames(names))),
  );
  const signature = der(0x03, Buffer.of(0), sign("sha256", body, privateKey));
  const certificate = sequence(body, algorithm, signature);
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert: pem(certificate) };
}

/** One value of ASN.1's distinguished encoding: tag, length, content. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const digits = length > 0xff ? [length >> 8, length & 0xff] : [length];
  return Buffer.concat([Buffer.of(tag, 0x80 | digits.length, ...digits), content]);
}

const sequence = (...items: readonly Uint8Array[]): Buffer => der(0x30, ...items);

const oid = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes));

/** UTCTime: two digits of the year, and a Z at the end. */
const time = (at: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")}Z`));

/** It is not a certificate authority: trusting it means trusting only this server, even if its key is stolen. */
const basicConstraints = sequence(oid(0x55, 0x1d, 0x13), der(0x01, Buffer.of(0xff)), der(0x04, sequence()));

/** For signatures, in handshakes. */
const keyUsage = sequence(oid(0x55, 0x1d, 0x0f), der(0x01, Buffer.of(0xff)), der(0x04, der(0x03, Buffer.of(7, 0x80))));

/** For servers. */
const extendedKeyUsage = sequence(
  oid(0x55, 0x1d, 0x25),
  der(0x04, sequence(oid(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01))),
);

function alternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    isIP(name) === 0 ? der(0x82, Buffer.from(name, "latin1")) : der(0x87, addressBytes(name)),
  );
  return sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(...entries)));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail] = address.split("::");
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  const all = tail === undefined ? left : [...left, ...zeros, ...right];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}

const groups = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));

function pem(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes)
    .toString("base64")
    .replaceAll(/.{1,64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}
