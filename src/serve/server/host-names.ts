import { isIP, isIPv4 } from "node:net";

/** Names that always resolve to this machine, or that nobody else can point to it. */
export const ownSuffixes: readonly string[] = [".localhost", ".servicebus.windows.net"];

/** Whether a host can be reached only from this machine. */
export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));

/** A server, as far as its names go. */
interface NamedServer {
  readonly host?: string | undefined;
  readonly tls?: { readonly cert: string } | undefined;
}

/** Returns a check whether a name, without a port, is one of the server's: of this machine, its host, its certificate. */
export function hostCheck({ host, tls }: NamedServer): (name: string) => boolean {
  let certificate: import("node:crypto").X509Certificate | undefined;
  const certified = (name: string): boolean => {
    if (tls === undefined) return false;
    const { X509Certificate } = process.getBuiltinModule("node:crypto");
    certificate ??= new X509Certificate(tls.cert);
    return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
  };
  return (given) => {
    const name = given.replace(/^\[(.*)\]$/, "$1").toLowerCase();
    const isOwn = isLoopback(name) || ownSuffixes.some((suffix) => name.endsWith(suffix));
    return isOwn || name === host?.toLowerCase() || certified(name);
  };
}
