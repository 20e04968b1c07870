// A workflow per session: first in, first out, with state that another process can go on with.
import { createClient, createSerializer, json, memoryEngine } from "sobre";

const engine = memoryEngine({ queues: { uploads: { requiresSession: true } } });
const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
const sender = client.createSender("uploads");
const part = (subject: string, body: string): { sessionId: string; subject: string; body: string } => ({
  sessionId: "file-7",
  subject,
  body,
});

/** A process that ends after so many steps. */
async function runProcess(name: string, steps: number): Promise<void> {
  const taken: string[] = [];
  const workflow = client.startSessionWorkflow<{ readonly text: string }>("uploads", {
    processStep({ kind, state, message, position }) {
      const text = `${state?.text ?? ""}${String(message.body)}`;
      console.log(`${name}: ${kind} at ${position}: "${text}"`);
      taken.push(kind);
      return { text };
    },
    processError: ({ error }) => console.error(error),
  });
  while (taken.length < steps) await new Promise(setImmediate);
  await workflow.close();
}

await sender.sendMessages([part("start", "Dear "), part("content", "Nuria, ")]);
await runProcess("first", 2);
await sender.sendMessages(part("end", "hello."));
await runProcess("second", 1);

await client.close();

// prints:
// first: start at 0: "Dear "
// first: content at 1: "Dear Nuria, "
// second: end at 2: "Dear Nuria, hello."
