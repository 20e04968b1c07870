import type { Engine, EngineSender } from "../../../../src/core/engine/index.ts";

/** An engine that carries out what is sent, settled and scheduled some time after the call, in transactions too. */
export function lateEngine(inner: Engine, wait: () => Promise<void>): Engine {
  const late = async <T>(call: () => Promise<T>): Promise<T> => {
    await wait();
    return call();
  };
  return {
    name: inner.name,
    capabilities: inner.capabilities,
    admin: inner.admin,
    inspection: inner.inspection,
    async openSender(...given): Promise<EngineSender> {
      const sender = await inner.openSender(...given);
      return {
        maxMessageSize: sender.maxMessageSize,
        send: (...sent) => late(() => sender.send(...sent)),
        close: () => sender.close(),
      };
    },
    openReceiver: (...given) => inner.openReceiver(...given),
    acceptSession: (...given) => inner.acceptSession(...given),
    peek: (...given) => inner.peek(...given),
    receiveDeferred: (...given) => inner.receiveDeferred(...given),
    schedule: (...given) => late(() => inner.schedule(...given)),
    cancel: (...given) => inner.cancel(...given),
    settle: (...given) => late(() => inner.settle(...given)),
    renew: (...given) => inner.renew(...given),
    deleteMessages: (...given) => inner.deleteMessages(...given),
    listSessions: (...given) => inner.listSessions(...given),
    begin: () => inner.begin(),
    connect: async (...given) => lateEngine(await inner.connect(...given), wait),
    close: () => inner.close(),
    abort: () => inner.abort(),
    [Symbol.asyncDispose]: () => inner.close(),
  };
}
