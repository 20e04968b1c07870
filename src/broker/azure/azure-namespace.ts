import { checkOption, invalidOption, methods, name, type OptionCheck } from "../../core/options/option-checks.ts";
import {
  type BrokerAddress,
  type ConnectionSettings,
  parseConnectionString,
  parseNamespace,
} from "./connection-string.ts";
import type { TokenCredential } from "./tokens.ts";

/** A namespace given by its connection string. */
export interface ConnectionStringNamespace {
  /**
   * `Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…`, or with a `SharedAccessSignature`. With
   * `UseDevelopmentEmulator=true` neither AMQP nor HTTP uses TLS; `TransportType=AmqpWebSockets` is supported.
   */
  readonly connectionString: string;
  readonly fullyQualifiedNamespace?: undefined;
  readonly credential?: undefined;
}

/** A namespace given by its host and an identity. */
export interface CredentialNamespace {
  readonly connectionString?: undefined;
  /** The host, e.g. `shop.servicebus.windows.net`, with a port if it is not the default. Always uses TLS. */
  readonly fullyQualifiedNamespace: string;
  /** Gets access tokens, e.g. `new DefaultAzureCredential()` of `@azure/identity`. */
  readonly credential: TokenCredential;
}

/** The namespace of an {@link azureEngine}: a connection string, or a host and a credential. */
export type AzureNamespace = ConnectionStringNamespace | CredentialNamespace;

export const credentialCheck: OptionCheck = methods(
  "a TokenCredential, e.g. DefaultAzureCredential of @azure/identity",
  "getToken",
);

/** A namespace that was looked at: where it is, and what opens it. */
type OpenedNamespace =
  | { readonly settings: ConnectionSettings; readonly credential: undefined }
  | { readonly settings: BrokerAddress; readonly credential: TokenCredential };

/** Reads the options that name a namespace. @throws SobreError `InvalidArgument` naming the option. */
export function namespaceOf(given: AzureNamespace): OpenedNamespace {
  const { connectionString, fullyQualifiedNamespace, credential } = given;
  if (fullyQualifiedNamespace === undefined && credential === undefined)
    return { settings: parseConnectionString(connectionString), credential };
  if (connectionString !== undefined)
    throw invalidOption("connectionString", "has a key, which cannot be combined with credential. Omit one of them");
  checkOption("fullyQualifiedNamespace", fullyQualifiedNamespace, name);
  checkOption("credential", credential, credentialCheck);
  return { settings: parseNamespace(fullyQualifiedNamespace), credential };
}
