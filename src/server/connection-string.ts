/** Where a namespace is served, and by which key it is reached. */
export interface ConnectionStringParts {
  readonly host: string;
  readonly port: number;
  readonly keyName: string;
  readonly key: string;
}

/** Addresses that stand for every one of a machine, and that nobody can connect to. */
const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** The connection string of a server on this machine, as the official clients read it. */
export function connectionString({ host, port, keyName, key }: ConnectionStringParts): string {
  const name = everyAddress.has(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `Endpoint=sb://${name}:${port};SharedAccessKeyName=${keyName};SharedAccessKey=${key};UseDevelopmentEmulator=true`;
}
