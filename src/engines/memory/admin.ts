import type { EngineAdmin } from "../../engine/index.ts";
import type { Namespace } from "./namespace.ts";

/** The administration of a namespace; `enter` throws once the connection is closed. */
export function memoryAdmin(namespace: Namespace, enter: () => number): EngineAdmin {
  return {
    async createQueue(name, options) {
      enter();
      namespace.createQueue(name, options);
    },
    async deleteQueue(name) {
      enter();
      namespace.deleteQueue(name);
    },
    async queueExists(name) {
      enter();
      return namespace.find(name) !== undefined;
    },
    async listQueues() {
      enter();
      return [...namespace.all()].map(({ address }) => address).toSorted();
    },
    async getQueueRuntimeProperties(name) {
      enter();
      const entity = namespace.entity(name);
      return { name: entity.address, ...entity.counts() };
    },
  };
}
