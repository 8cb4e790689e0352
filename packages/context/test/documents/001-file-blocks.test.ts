/** Documents 000 and 001, what a summary looks like to the model: its tags and its lists of files. Every sentence is ours (B57, B48). */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import type { Session } from "../../src/session/session.ts";
import { summarizingHook } from "../support/document-sessions.ts";
import { budgetKeeping, compactSmall, createSession, newestCompaction, repeatWord } from "../support/small-session.ts";

const work = [
  "user: fix it",
  "calls: read path=src/foo.ts; read path=src/bar.ts; read path=src/baz.ts",
  `result: ${repeatWord(100)}`,
  `result: ${repeatWord(100)}`,
  `result: ${repeatWord(100)}`,
  "calls: edit path=src/baz.ts oldText=a newText=b; write path=src/new.ts content=c",
  "result: done",
  "result: done",
  "says: it is fixed",
  "user: thanks",
  "says: you are welcome",
];

const blocks = `<read-files>
src/bar.ts
src/foo.ts
</read-files>

<modified-files>
src/baz.ts
src/new.ts
</modified-files>`;

async function compacted(...lines: readonly string[]): Promise<Session> {
  const session = await createSession(...lines);
  await compactSmall(session, { budget: budgetKeeping(session, 2), ...summarizingHook("It was fixed.") });
  return session;
}

test("CTX9 SUM6 B57 a summary is a user message with the text in tags", async () => {
  const [first] = convertToLlm(buildSessionContext((await compacted(...work)).branch).messages);
  const text = Array.isArray(first?.content)
    ? first.content.map((block) => "text" in block && block.text).join("")
    : "";
  expect(first?.role).toBe("user");
  expect(text).toMatch(
    /^[^<>]+\.\n\n<summary>\n[\s\S]*# Summary as of #9 \(a report, not the user's words; later messages are newer and win\)\nIt was fixed\.[\s\S]*\n<\/summary>$/,
  );
});

test("LED1 LED4 B47 B48 a summary ends with generated lists of the files that were only read and those that were changed", async () => {
  const { summary, details } = newestCompaction(await compacted(...work));
  expect(summary).toContain(blocks);
  expect(details).toMatchObject({
    readFiles: ["src/bar.ts", "src/foo.ts"],
    modifiedFiles: ["src/baz.ts", "src/new.ts"],
  });
});

test("LED2 B47 the next compaction carries over the files of compactions and branch summaries", async () => {
  const session = await compacted(...work);
  await session.append({
    type: "branch_summary",
    fromId: "e1",
    summary: repeatWord(300),
    details: { readFiles: ["src/left.ts"], modifiedFiles: ["src/foo.ts"] },
  });
  await session.append({ type: "message", message: { role: "user", content: "go on", timestamp: 1 } });
  await compactSmall(session, { budget: budgetKeeping(session, 1), ...summarizingHook("It was fixed, and more.") });
  expect(newestCompaction(session).details).toMatchObject({
    readFiles: ["src/bar.ts", "src/left.ts"],
    modifiedFiles: ["src/baz.ts", "src/foo.ts", "src/new.ts"],
  });
});

test("KEEP5 B49 a summarizer gets the earlier summary without its file lists", async () => {
  const session = await compacted(...work);
  await session.append({ type: "message", message: { role: "user", content: "go on", timestamp: 1 } });
  const hookInputs: Parameters<typeof summarizingHook>[1] = [];
  await session.append({ type: "custom_message", customType: "note", content: repeatWord(300), display: true });
  await session.append({ type: "message", message: { role: "user", content: "and on", timestamp: 1 } });
  await compactSmall(session, { budget: budgetKeeping(session, 1), ...summarizingHook("More.", hookInputs) });
  expect(hookInputs?.map(({ previous }) => previous)).toEqual(["It was fixed."]);
});
