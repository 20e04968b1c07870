import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import type { Right } from "../server/access.ts";
import type { HttpRequest } from "../server/http/http-message.ts";
import type { Clock } from "../../core/time/clock.ts";

/** An action of a person, for the audit. */
export interface AuditEvent {
  readonly time: Date;
  /** The name of the caller's key, or the subject of their access token; `undefined` without either. */
  readonly caller: string | undefined;
  readonly action: string;
  readonly entity: string;
  /** Details in one line, without content of messages. */
  readonly detail: string;
}

/** The name and rights of a caller. */
export interface InspectorCaller {
  readonly name: string;
  readonly rights: readonly Right[];
}

/** Options of `createInspector`. */
export interface InspectorOptions {
  /** Reads the messages as the services do. */
  readonly serializer: Serializer;
  /** The broker. Default: that of the server that the inspector is mounted on. */
  readonly engine?: Engine | undefined;
  /** The stages of the services: compression, encryption, claim check. Default: none. */
  readonly stages?: readonly PayloadStage[] | undefined;
  /** Message types whose versions are tried on every body. Default: none. */
  readonly messageTypes?: readonly MessageType[] | undefined;
  /** The first part of its paths. Default: `$ui`. */
  readonly path?: string | undefined;
  /** Whether messages may be sent back, imported and deleted. Default: false, it only reads. */
  readonly changes?: boolean | undefined;
  /** Whether bodies are shown at once, or when they are asked for, which the audit notes. Default: `shown`. */
  readonly bodies?: "shown" | "onRequest" | undefined;
  /** Names of members and properties whose values are replaced; then no bytes are shown, exported or repaired. Default: none. */
  readonly redact?: readonly string[] | undefined;
  /** Other brokers that dead letters can be sent to, by name, with the rights of these engines. Default: none. */
  readonly brokers?: Readonly<Record<string, Engine>> | undefined;
  /**
   * The directory where re-drives are recorded, so that they can be resumed after a restart; requires `engine`. It holds
   * what people changed in messages. Default: none, they are forgotten when the process ends.
   */
  readonly directory?: string | undefined;
  /** Whether the page says that this is production. Default: false. */
  readonly production?: boolean | undefined;
  /** Called for every action, before its answer. */
  readonly onAudit?: ((event: AuditEvent) => void) | undefined;
  /**
   * Says who a request to `listener` is from; a rejection refuses it. Default: whoever asks from this machine, under a name
   * of this machine, has all rights.
   */
  readonly authorize?: ((request: HttpRequest) => Promise<InspectorCaller>) | undefined;
  /** The clock for the pauses of re-drives. Default: the system clock. */
  readonly clock?: Clock | undefined;
}
