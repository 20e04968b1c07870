/** The address of a namespace and a key for it. */
export interface ConnectionStringParts {
  readonly host: string;
  readonly port: number;
  readonly keyName: string;
  readonly key: string;
}

/** Wildcard addresses, which clients cannot connect to. */
const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** The connection string of a server on this machine, for the official clients. */
export function connectionString({ host, port, keyName, key }: ConnectionStringParts): string {
  const name = everyAddress.has(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `Endpoint=sb://${name}:${port};SharedAccessKeyName=${keyName};SharedAccessKey=${key};UseDevelopmentEmulator=true`;
}
