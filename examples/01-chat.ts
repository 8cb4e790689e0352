/** A chat that is saved in a file and compacts itself. Needs no API key: a scripted server answers. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@pith/testkit";

const server = await startServer({ script: ["Hello! What are we building?", "A parser, then."] });
process.env.ANTHROPIC_BASE_URL = server.url;
process.env.ANTHROPIC_API_KEY = "any";
const folder = mkdtempSync(join(tmpdir(), "pith-chat-"));
process.chdir(folder);
const lines = ["Hi.", "A parser."];

// #region chat
import { compactIfNeeded } from "@pith/context";
import { openSession } from "@pith/context/node";
import { openModel } from "@pith/models";

const model = await openModel("anthropic/claude-sonnet-4-5");
const session = await openSession("chat.jsonl", { system: "You are a helpful assistant." });

for (const line of lines) {
  await session.addUserMessage(line);
  await compactIfNeeded(session, model);
  for await (const event of session.stream(model)) {
    if (event.type === "text-delta") process.stdout.write(event.text);
  }
}
await session.close();
// #endregion

const again = await openSession("chat.jsonl", { system: "You are a helpful assistant." });
const roles = again.branch.entries.map((entry) => (entry.type === "message" ? entry.message.role : entry.type));
assert.deepEqual(roles, ["system", "user", "assistant", "user", "assistant"]);
await again.close();
await server.close();
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
