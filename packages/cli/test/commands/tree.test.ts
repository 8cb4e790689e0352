/** Tests commands/tree.ts: /transcript, /tree. */

import { describe, expect, test } from "vitest";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";

describe("/transcript", () => {
  test("RES23 /transcript prints the whole branch, including what a compaction covers", async () => {
    const context = await createCommandContext([
      "user: the first words",
      "says: yes",
      "compacts: in short, keeps nothing",
      "user: and then?",
    ]);
    const transcript = await runForText("/transcript", context);
    expect(transcript).toContain("the first words");
    expect(transcript).toContain("in short");
    expect(transcript).toContain("and then?");
    expect(await runForText("/transcript", await createCommandContext([]))).toBe("No messages yet.");
  });
});

describe("/tree", () => {
  const twoTries = [
    "user: fix the login",
    "says: looking",
    "user: try A",
    "calls: read path=a.ts",
    "result: text",
    "says: A failed",
    "moves: e2",
    "user: try B",
    "says: B works",
    "labels e9: good",
  ];

  test("COM7 /tree draws the current branch as a straight line, with other branches indented, ids, labels and the leaf", async () => {
    const context = await createCommandContext(twoTries);
    expect(await runForText("/tree", context)).toBe(
      [
        "e1 you: fix the login",
        "e2 reply: looking",
        "├─ e3 you: try A",
        "│  e6 reply: A failed",
        "e8 you: try B",
        "e9 reply: B works [good] ← here",
      ].join("\n"),
    );
    expect(await runForResult("/tree", context)).toMatchObject({
      data: {
        leaf: "e10",
        entries: expect.arrayContaining([expect.objectContaining({ id: "e3", isOnBranch: false })]),
      },
    });
  });

  test("COM7 /tree names compactions and branch summaries, and reports an empty session", async () => {
    const compacted = await createCommandContext([
      "user: one",
      "says: two",
      "user: three",
      "compacts: so far, keeps e3",
      "left e2: gone",
    ]);
    const text = await runForText("/tree", compacted);
    expect(text).toMatch(/^e4 compaction: from [\d,]+ tokens$/m);
    expect(text).toMatch(/^e5 branch summary: gone ← here$/m);
    expect(await runForText("/tree", await createCommandContext([]))).toBe("No messages yet.");
  });

  test("COM8 /tree to a user message moves to the entry before it and returns the message as a draft (B63)", async () => {
    const context = await createCommandContext(twoTries);
    expect(await runForResult("/tree e3", context)).toMatchObject({ type: "draft", draft: "try A", text: "Now at e2" });
    expect(await runForText("/tree", context)).toMatch(/^e2 reply: looking ← here$/m);
    expect(await runForResult("/tree good", context)).toMatchObject({
      type: "success",
      text: expect.stringMatching(/^Now at /),
    });
    expect(await runForResult("/tree e9", context)).toMatchObject({ text: "You are already there." });
    expect(await runForResult("/tree root", context)).toMatchObject({ text: "Now before the first entry." });
  });

  test("COM8 /tree --summary adds a summary of the branch you leave at the target, with the given label (B64)", async () => {
    const summary =
      "## Goal\n- fix the login [#1]\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n### In Progress\n- [ ] try B [#1]\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on";
    const context = await createCommandContext(twoTries, { replies: [summary, summary] });
    const answer = await runForResult("/tree e6 --summary what worked --label left B", context);
    expect(answer).toMatchObject({
      type: "success",
      text: expect.stringContaining("the branch you left is summarized there"),
    });
    expect(await runForText("/tree", context)).toMatch(/branch summary: .*\[left B\] ← here$/m);
    const request = JSON.stringify((context.agent.model as unknown as { requests: unknown }).requests);
    expect(request).toContain("Additional focus: what worked");
  });

  test("COM8 when the branch summary fails, the position does not change and the message offers to omit --summary", async () => {
    const failure = { failure: { kind: "refused", message: "no credit" } } as const;
    const context = await createCommandContext(twoTries, { replies: [failure] });
    const { leaf } = context.agent.session;
    expect(await runForResult("/tree e6 --summary", context)).toMatchObject({
      type: "failed",
      message: expect.stringMatching(
        /^the branch could not be summarized, so your position has not changed \(.*no credit.*\); try again, or omit --summary$/,
      ),
    });
    expect(await context.agent.session.store.entry(leaf ?? "")).toBeDefined();
    expect(await runForText("/tree", context)).toMatch(/e9 .*← here$/m);
  });

  test("COM9 /tree accepts an id, the beginning of an id, or a label; an unknown name is answered with where to find ids", async () => {
    const context = await createCommandContext(twoTries);
    const { session } = context.agent;
    await session.append({ type: "message", id: "abcdef0123", message: { role: "user", content: "x", timestamp: 0 } });
    await session.append({ type: "message", id: "abcdff0123", message: { role: "user", content: "y", timestamp: 0 } });
    await session.move("e9");
    expect(await runForResult("/tree abcdef", context)).toMatchObject({ type: "draft", draft: "x" });
    expect(await runForResult("/tree entry:abcdff01", context)).toMatchObject({ type: "draft", draft: "y" });
    expect(await runForResult("/tree abcd", context)).toMatchObject({
      message: expect.stringContaining("several entries"),
    });
    for (const name of ["nobody", "e99", "abc", "__proto__"])
      expect(await runForResult(`/tree ${name}`, context), name).toMatchObject({
        type: "mistake",
        message: expect.stringContaining("/tree shows the entries"),
      });
    expect(await runForResult("/tree --summary", context)).toMatchObject({
      message: expect.stringContaining("specify the entry to go to"),
    });
    expect(await runForResult("/tree e1 --from e2", context)).toMatchObject({ type: "mistake" });
  });

  test("COM9 /tree refuses a label that several entries have", async () => {
    const context = await createCommandContext(["user: one", "says: two", "labels e1: here", "labels e2: here"]);
    expect(await runForResult("/tree here", context)).toEqual({
      type: "mistake",
      message: 'several entries have the label "here"; use an id',
    });
  });

  test("COM10 /tree shows the newest part of a long session and how to see earlier entries", async () => {
    const lines = Array.from({ length: 1_200 }, (_, at) => `user: number ${at + 1}`);
    const context = await createCommandContext(lines, { isStored: false });
    const text = await runForText("/tree", context);
    const [first, second] = text.split("\n");
    expect(first).toBe("… earlier entries not shown; to see them, type /tree --from e1050");
    expect(second).toBe("e1051 you: number 1051");
    expect(text.split("\n")).toHaveLength(151);
    const before = await runForText("/tree --from e1050", context);
    expect(before.split("\n").at(-1)).not.toContain("here");
    expect(before).toContain("e1050 you: number 1050");
  });

  test("COM10 /tree draws long runs of tool calls, and branches of branches", async () => {
    const work = Array.from({ length: 900 }, () => ["calls: read path=a.ts", "result: text"]).flat();
    const long = await createCommandContext(["user: go", ...work, "says: done"], { isStored: false });
    expect(await runForText("/tree", long)).toMatch(
      /^… earlier entries not shown; to see them, type \/tree --from e802\ne1802 reply: done ← here$/,
    );
    const comb = Array.from({ length: 200 }, (_, at) => [`user: try ${at}`, `moves: e${2 * at + 1}`]).flat();
    const nested = await createCommandContext(comb, { isStored: false });
    expect((await runForText("/tree", nested)).split("\n").length).toBeGreaterThan(100);
  });
});
