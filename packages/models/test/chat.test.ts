/** Tests a session in a file against a model over HTTP: replies are appended, also one whose connection breaks. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compactIfNeeded } from "@pith/context";
import { openSession } from "@pith/context/node";
import { startServer } from "@pith/testkit";
import { expect, test } from "vitest";
import { openModel } from "../src/open-model.ts";

test("a chat over HTTP is streamed, and every reply is stored, also an incomplete one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-chat-"));
  const server = await startServer({
    script: [
      "Hello there.",
      { parts: [{ type: "text", text: "This is cut off here." }], breaks: { how: "cut", after: 4 } },
    ],
  });
  try {
    const environment = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
    const model = await openModel("anthropic/claude-sonnet-4-5", { environment, requestPolicy: { retries: 0 } });
    const session = await openSession(join(folder, "chat.jsonl"), { system: "Be brief." });
    const texts: string[] = [];
    const last: string[] = [];
    for (const line of ["Hi.", "Go on."]) {
      await session.addUserMessage(line);
      expect((await compactIfNeeded(session, model)).type).toBe("not-due");
      for await (const event of session.stream(model)) {
        if (event.type === "text-delta") texts.push(event.text);
        if (event.type === "reply-ended" || event.type === "reply-failed") last.push(event.type);
      }
    }
    await session.close();
    expect(texts.join("")).toContain("Hello there.");
    expect(last).toEqual(["reply-ended", "reply-failed"]);
    const replies = session.branch.entries.flatMap((entry) =>
      entry.type === "message" && entry.message.role === "assistant" ? entry.message.stopReason : [],
    );
    expect(replies).toEqual(["stop", "error"]);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
