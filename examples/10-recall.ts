/** Recall in an agent of your own: a hand-written loop gives its model a tool that searches the whole session. A scripted server answers. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@pith/testkit";

const query = { type: "call", name: "recall", arguments: { query: "gateway port" } } as const;
const server = await startServer({ script: ["Noted.", { parts: [query] }, "The gateway listens on 8443."] });
process.env.ANTHROPIC_BASE_URL = server.url;
process.env.ANTHROPIC_API_KEY = "any";
const folder = mkdtempSync(join(tmpdir(), "pith-recall-"));
process.env.PITH_HOME = join(folder, "home");
process.chdir(folder);

// #region recall
import { recallTool, type ToolCall } from "@pith/agent";
import { sessionSearch } from "@pith/agent/node";
import { openSession } from "@pith/context/node";
import { openModel } from "@pith/models";

const model = await openModel("anthropic/claude-sonnet-4-5");
const session = await openSession("chat.jsonl");
const recall = recallTool({ session, search: sessionSearch("chat.jsonl") });
const { name, description, parameters } = recall;
await session.append({
  type: "message",
  message: { role: "system", content: "", toolsAdded: [{ name, description, parameters }], timestamp: Date.now() },
});

async function ask(text: string): Promise<void> {
  await session.addUserMessage(text);
  for (;;) {
    for await (const event of session.stream(model)) if (event.type === "text-delta") process.stdout.write(event.text);
    const reply = session.branch.entries.at(-1);
    const content = reply?.type === "message" && reply.message.role === "assistant" ? reply.message.content : [];
    const calls = content.filter((block) => block.type === "toolCall");
    if (calls.length === 0) return;
    for (const { id, name: toolName, arguments: args } of calls) {
      const call: ToolCall = {
        id,
        arguments: args,
        signal: AbortSignal.timeout(60_000),
        maxOutputBytes: 16_384,
        update: () => {},
      };
      const { content: output, isError = false } = await recall.run(call);
      const result = { role: "toolResult" as const, toolCallId: id, toolName, content: output, isError };
      await session.append({ type: "message", message: { ...result, timestamp: Date.now() } });
    }
  }
}

await ask("The gateway listens on port 8443.");
await ask("Which port does the gateway use?");
await session.close();
// #endregion

assert.match(JSON.stringify(server.requests[2]?.body), /#2 \(user\): The gateway listens on port 8443\./);
await server.close();
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
