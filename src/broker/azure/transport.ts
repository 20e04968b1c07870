import { connect as connectTcp } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type BrokerAddress, ports } from "./connection-string.ts";

/** Opens the byte stream for AMQP; resolves when it is connected. */
export type Transport = (broker: BrokerAddress) => Promise<Duplex>;

/** Milliseconds until a host has to answer. */
const patience = 15_000;

/** The AMQP address, for error messages. */
export const addressOf = ({ host, port, secure }: BrokerAddress): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port ?? (secure ? ports.amqps : ports.amqp)}`;

/**
 * A socket, with TLS unless the connection string is for an emulator. `ca`: authorities to trust besides the system's,
 * as PEM.
 */
export function tcpTransport(ca?: string): Transport {
  return (settings) => {
    const { host, secure } = settings;
    const port = settings.port ?? (secure ? ports.amqps : ports.amqp);
    return new Promise((resolve, reject) => {
      const servername = /^[\d.]+$|:/.test(host) ? "" : host;
      const socket = secure
        ? connectTls({ host, port, servername, ca, timeout: patience })
        : connectTcp({ host, port, noDelay: true, timeout: patience });
      const failed = (error: Error): void => {
        socket.destroy();
        reject(unreachable(addressOf(settings), secure ? plainServer(error) : error));
      };
      socket.once("error", failed);
      socket.once("timeout", () => failed(new Error(`no answer within ${patience / 1000} s`)));
      socket.once(secure ? "secureConnect" : "connect", () => {
        socket.removeListener("error", failed);
        socket.removeAllListeners("timeout");
        socket.setTimeout(0);
        resolve(socket);
      });
    });
  };
}

/** Describes the failure of a server that does not speak TLS. */
function plainServer(error: Error): Error {
  const code = "code" in error ? String(error.code) : "";
  if (code !== "ECONNRESET" && code !== "EPROTO" && !code.startsWith("ERR_SSL")) return error;
  return new Error("it does not support TLS, which is required without UseDevelopmentEmulator=true", { cause: error });
}

const untrusted =
  "its certificate is self-signed or from an untrusted authority; trust it with NODE_EXTRA_CA_CERTS=FILE";

const reasons: ReadonlyMap<string, string> = new Map([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", untrusted],
  ["SELF_SIGNED_CERT_IN_CHAIN", untrusted],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", untrusted],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", untrusted],
  ["ECONNREFUSED", "nothing listens there"],
  ["ENOTFOUND", "the host does not exist"],
  ["EAI_AGAIN", "the host name cannot be resolved at present"],
  ["ETIMEDOUT", "it does not answer"],
  ["EHOSTUNREACH", "the host cannot be reached"],
  ["ENETUNREACH", "the network cannot be reached"],
  ["ECONNRESET", "it closed the connection"],
]);

/** The error for a host that cannot be reached. */
export function unreachable(address: string, error: unknown): SobreError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error && error.message !== "" ? error.message : code;
  const why = reasons.get(code) ?? message;
  return new SobreError(
    "ServiceCommunicationProblem",
    `Cannot connect to ${address}: ${why}. Check the connection string, and that the server is running.`,
    { cause: error },
  );
}
