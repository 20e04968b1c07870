import rhea from "rhea";

/** The smallest broker that rhea makes: one queue in memory, in its own process. */
const container = rhea.create_container({ id: "rhea" });
const waiting: { body: unknown }[] = [];
const senders = new Set<rhea.Sender>();
const deliver = (): void => {
  for (const sender of senders) {
    while (sender.sendable()) {
      const message = waiting.shift();
      if (message === undefined) return;
      sender.send(message);
    }
  }
};
container.on("sender_open", ({ sender }: rhea.EventContext) => {
  if (sender !== undefined) senders.add(sender);
});
container.on("sendable", deliver);
container.on("message", ({ message }: rhea.EventContext) => {
  if (message !== undefined) waiting.push(message);
  deliver();
});
container.on("disconnected", () => senders.clear());
const listening = container.listen({ port: 0, host: "127.0.0.1" });
listening.on("listening", () => {
  const address = listening instanceof Object && "address" in listening ? listening.address() : undefined;
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 });
});
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, memory: process.memoryUsage.rss() });
});
process.on("disconnect", () => process.exit());
