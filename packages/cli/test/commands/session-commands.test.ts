/** Sessions: copied, begun, found, named, looked at, exported, handed over. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DRAFT_TYPE, findDraft } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime, openStore } from "@pith/context/node";
import { expect, test } from "vitest";
import type { CommandResult } from "../../src/commands/command.ts";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";

const storyLines = ["user: fix the login", "says: looking", "user: try A", "says: A failed", "names: the login bug"];

test("COM20 /fork creates a session that ends before one of your messages, with that message as the draft (B62)", async () => {
  const context = await createCommandContext(storyLines);
  expect(await runForText("/fork", context)).toBe(
    "e1  fix the login\ne3  try A\nTo start just before one, type /fork and its id.",
  );
  const answer = opened(await runForResult("/branch e3", context));
  expect(answer).toMatchObject({ draft: "try A", text: `New session: ${answer.id.slice(0, 8)}` });
  const lines = linesOf(answer.path);
  expect(lines[0]).toMatchObject({ type: "session", id: answer.id, parentSession: context.sessionPath });
  expect(JSON.stringify(lines)).toContain("looking");
  expect(JSON.stringify(lines)).not.toContain("try A");
  expect(await runForResult("/fork e2", context)).toMatchObject({
    type: "mistake",
    message: expect.stringContaining("/clone"),
  });
});

test("COM21 /clone copies the current branch and no other (B62)", async () => {
  const context = await createCommandContext([...storyLines, "moves: e2", "user: try B"]);
  const { path, draft } = opened(await runForResult("/clone", context));
  const text = JSON.stringify(linesOf(path));
  expect(draft).toBeUndefined();
  expect(text).toContain("the login bug (copy)");
  expect(text).toContain("try B");
  expect(text).not.toContain("A failed");
});

test("COM22 /new creates an empty session in the same folder and leaves it unlocked", async () => {
  const context = await createCommandContext(storyLines);
  const { path, id } = opened(await runForResult("/clear", context));
  expect(linesOf(path)).toMatchObject([{ type: "session", id, cwd: context.cwd }]);
  const again = await openStore(path);
  expect(again.type).toBe("opened");
  if (again.type === "opened") await again.store.close();
});

test("COM23 /resume lists the sessions of the folder and opens one by the beginning of its id or by its name", async () => {
  const context = await createCommandContext(storyLines);
  const { id } = context.agent.session.store.header;
  const forked = opened(await runForResult("/fork e3", context));
  const list = await runForText("/resume", context);
  expect(list).toContain(`${id.slice(0, 8)}     now  the login bug: fix the login  ← here`);
  expect(list).toContain("the login bug (fork): fix the login");
  expect(opened(await runForResult(`/resume ${forked.id.slice(0, 13)}`, context))).toMatchObject({ path: forked.path });
  expect(opened(await runForResult("/resume the login bug (fork)", context))).toMatchObject({ id: forked.id });
  expect(await runForText(`/resume ${id}`, context)).toBe("You are already in this session.");
  expect(await runForResult("/resume nonsense", context)).toMatchObject({ type: "mistake" });
});

test("COM24 /name shows, sets and removes the name of the session", async () => {
  const context = await createCommandContext(["user: hello"]);
  expect(await runForText("/name", context)).toMatch(/^This session has no name\./);
  expect(await runForText("/name the  \u001b[31mred\u001b[0m\nbug", context)).toBe("Name: the red bug");
  expect(await runForText("/name", context)).toBe("the red bug");
  expect(await runForText("/name --none", context)).toBe("Name removed.");
  expect(await context.agent.session.store.name()).toBeUndefined();
});

test("COM25 /session shows the file, and the contents and cost of all branches", async () => {
  const context = await createCommandContext([...storyLines, "moves: e2", "user: try B", "says: B works"]);
  const text = await runForText("/session", context);
  expect(text).toContain(`file        ${context.sessionPath}`);
  expect(text).toMatch(/^name {8}the login bug$/m);
  expect(text).toMatch(/^branches {4}2$/m);
  expect(text, "MET19").toMatch(/^context {5}about \d+ of 183,616 tokens/m);
  expect(text).toMatch(/^contents {4}8 entries, 3 user messages, 3 replies/m);
  const unkept = await createCommandContext(storyLines, { isStored: false });
  expect(await runForText("/session", unkept)).toMatch(/not saved[\s\S]*contents {4}5 entries/);
});

test("COM26 /export picks the format by the file extension, and never overwrites a file", async () => {
  const context = await createCommandContext(storyLines);
  expect(await runForText("/export talk.md", context)).toBe(`Exported to ${join(context.cwd, "talk.md")}`);
  expect(readFileSync(join(context.cwd, "talk.md"), "utf8")).toContain("fix the login");
  writeFileSync(join(context.cwd, "mine.html"), "mine");
  expect(await runForResult("/export mine.html", context)).toMatchObject({ type: "mistake" });
  expect(readFileSync(join(context.cwd, "mine.html"), "utf8")).toBe("mine");
});

const handed = "## Background\n- the login was fixed in a.ts [#1]\n\n## First steps\n1. write the tests";

test("COM27 /handoff creates a session with a draft, the pins and a reference to its parent session (B82)", async () => {
  const context = await createCommandContext([...storyLines, "calls: write path=a.ts", "result: done", "says: fixed"], {
    replies: [handed, handed],
  });
  writeFileSync(join(context.cwd, "a.ts"), "");
  await runForResult("/pin Use tabs.", context);
  const answer = opened(await runForResult("/handoff write the tests of the login", context));
  expect(answer.text).toMatch(
    /^New session: \w{8}\. Its draft lists 1 file(?:; writing it cost \$[\d.]+)?\. 1 pin copied\./,
  );
  expect(answer.draft).toMatch(/^write the tests of the login\n\n[\s\S]*## Files\n- a\.ts$/);
  expect(linesOf(answer.path)[0]).toMatchObject({ parentSession: context.sessionPath });
  const made = await openStore(answer.path, { mode: "follower" });
  if (made.type !== "opened") throw new Error("it cannot be opened");
  const { branch: window } = await Session.open(made.store, nodeRuntime);
  expect(findDraft(window)).toBe(answer.draft);
  expect(window.state.pins).toMatchObject([{ text: "Use tabs." }]);
  expect(window.state.model).toEqual({ provider: "anthropic", modelId: "storyteller" });
  expect(window.entries.at(-1)).toMatchObject({ type: "custom", customType: DRAFT_TYPE });
  await made.store.close();
  expect(readFileSync(context.sessionPath ?? "", "utf8")).toContain('"kind":"handoff"');
});

test("COM27 /handoff creates no session without a goal, without messages, or when the model fails", async () => {
  const failure = { failure: { kind: "refused", message: "no credit" } } as const;
  const context = await createCommandContext(storyLines, { replies: [failure] });
  expect(await runForResult("/handoff", context)).toMatchObject({ type: "mistake" });
  expect(await runForResult("/handoff the rest", context)).toMatchObject({
    type: "failed",
    message: expect.stringMatching(/^no session was created: .*no credit/),
  });
  expect(await runForText("/handoff the rest", await createCommandContext([]))).toMatch(
    /^This branch has no messages to hand over/,
  );
  expect(existsSync(context.sessionPath ?? "")).toBe(true);
});

function opened(answer: CommandResult): Extract<CommandResult, { type: "opened" }> {
  if (answer.type !== "opened") throw new Error(JSON.stringify(answer));
  return answer;
}

function linesOf(path: string): readonly unknown[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
