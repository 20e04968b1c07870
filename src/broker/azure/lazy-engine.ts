import type { EngineAdmin } from "../../core/engine/admin.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type {
  Engine,
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  Transaction,
} from "../../core/engine/engine.ts";
import { refusedInspection } from "../../core/engine/inspection.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { azureCapabilities } from "./capabilities.ts";

/** An engine that is loaded on first use, so that a bundle that does not use it needs no sockets. */
export function lazyAzureEngine(load: () => Promise<Engine>, server?: Engine["server"]): Engine {
  let loading: Promise<Engine> | undefined;
  let loaded: Engine | undefined;
  let isClosed = false;
  const engine = async (): Promise<Engine> => {
    if (isClosed && loaded === undefined) throw new SobreError("Closed", "The engine is closed. Create a new one.");
    loading ??= load();
    loaded ??= await loading;
    return loaded;
  };
  return {
    name: "azure",
    capabilities: azureCapabilities,
    server,
    get admin(): EngineAdmin {
      if (loaded !== undefined) return loaded.admin;
      throw new SobreError("InvalidOperation", "The engine is not loaded yet. Await connect() first.");
    },
    inspection: refusedInspection({ name: "azure", capabilities: azureCapabilities }),
    openSender: async (...given): Promise<EngineSender> => (await engine()).openSender(...given),
    openReceiver: async (...given): Promise<EngineReceiver> => (await engine()).openReceiver(...given),
    acceptSession: async (...given): Promise<EngineSessionReceiver> => (await engine()).acceptSession(...given),
    peek: async (...given): Promise<readonly Delivery[]> => (await engine()).peek(...given),
    receiveDeferred: async (...given): Promise<readonly Delivery[]> => (await engine()).receiveDeferred(...given),
    schedule: async (...given): Promise<readonly bigint[]> => (await engine()).schedule(...given),
    cancel: async (...given): Promise<void> => (await engine()).cancel(...given),
    settle: async (...given): Promise<void> => (await engine()).settle(...given),
    renew: async (...given): Promise<Date> => (await engine()).renew(...given),
    deleteMessages: async (...given): Promise<number> => (await engine()).deleteMessages(...given),
    listSessions: async (...given): Promise<readonly string[]> => (await engine()).listSessions(...given),
    begin: async (): Promise<Transaction> => (await engine()).begin(),
    connect: async (): Promise<Engine> => (await engine()).connect(),
    async close() {
      isClosed = true;
      await (await loading)?.close();
    },
    async abort() {
      isClosed = true;
      await (await loading)?.abort();
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}
