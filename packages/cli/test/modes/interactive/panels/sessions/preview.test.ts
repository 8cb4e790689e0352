/** Tests modes/interactive/panels/sessions/preview.ts: read a preview, preview loader, first and last messages. */

import { statSync } from "node:fs";
import { noRedaction } from "@pith/context/host";
import { createSession, type SessionItem } from "@pith/context/node";
import { Vault } from "@pith/context/secrets";
import { emptyUsage, story } from "@pith/context/testing";
import { describe, expect, test } from "vitest";
import {
  createPreviewReader,
  extractGist,
  readPreview,
} from "../../../../../src/modes/interactive/panels/sessions/preview.ts";
import { emptySessionsState, type SessionPreview } from "../../../../../src/modes/interactive/panels/sessions/state.ts";
import { createTempFolder } from "../../../../support/command-context.ts";

describe("read a preview", () => {
  async function kept(words: readonly string[], filling = 0) {
    const made = await createSession({
      cwd: createTempFolder("pith-look-"),
      env: { PITH_HOME: createTempFolder("pith-home-") },
    });
    if (made.type !== "opened") throw new Error("no session could be made");
    const { store } = made;
    let parentId: string | null = null;
    const before = Array.from({ length: filling }, (_, at) => filler(at));
    for (const [at, entry] of [...before, ...story(...words)].entries()) {
      const id: string = at < filling ? `x${at}` : `e${at - filling + 1}`;
      const placed = [{ ...entry, id, parentId, number: at + 1 }] as never;
      await store.append(placed, { expectedLeaf: await store.leaf(), isReplaceable: true });
      parentId = id;
    }
    await store.close();
    const { size } = statSync(store.path);
    return { path: store.path, id: "x", cwd: "", created: "", modified: 0, size, firstMessage: "" };
  }

  function filler(at: number): object {
    const content = [{ type: "text", text: `${at} ${"many words ".repeat(5_000)}` }];
    const model = { api: "x", provider: "p", model: "m", usage: emptyUsage, stopReason: "stop" };
    return { type: "message", timestamp: "", message: { role: "assistant", content, ...model, timestamp: 1 } };
  }

  const lines = [
    "user: build it",
    "says: built",
    "compacts: ## Goal\n- build the house, keeps nothing",
    "user: paint it",
    "says: red",
  ];

  test("RES10 a preview has the gist, the last prompt and the last reply", async () => {
    const about = await readPreview(await kept(lines));
    expect(about).toMatchObject({
      lastPrompt: "paint it",
      lastReply: "red",
      isForeign: false,
      branches: 1,
      entries: 5,
    });
    expect(about.gist).toMatch(/^build the house/);
  });

  test("RES10 a long session is previewed from its end, with the same result", async () => {
    const long = await kept(lines, 50);
    expect(long.size).toBeGreaterThan(2 * 1024 * 1024);
    const about = await readPreview(long);
    expect(about).toMatchObject({ lastPrompt: "paint it", lastReply: "red" });
    expect(about.gist).toMatch(/^build the house/);
  });

  test("RES21 a preview redacts secrets in a session that was saved without redaction", async () => {
    const token = ["Zk9", "vT3qLm7w", "Xb2rNc8sPd4f"].join("-");
    const vault = new Vault({ digest: () => "0123456789abcdef", environment: { DEPLOY_TOKEN: token } });
    const older = await kept([`user: deploy with ${token}`, `says: I used ${token}`]);
    const redaction = { ...noRedaction, redact: <Value>(value: Value): Value => vault.redact(value) };
    const change = await createPreviewReader(async () => redaction)([older], new AbortController().signal);
    expect(change(emptySessionsState).previews.get(older.path)).toMatchObject({
      lastPrompt: expect.stringMatching(/^deploy with PITH_SECRET_\w+$/),
      lastReply: expect.stringMatching(/^I used PITH_SECRET_\w+$/),
    });
  });

  test("RES13 a file that cannot be read has an empty preview", async () => {
    const item = { path: "/nowhere.jsonl", id: "", cwd: "", created: "", modified: 0, firstMessage: "" };
    for (const size of [10, 10_000_000])
      expect(await readPreview({ ...item, size })).toMatchObject({ gist: null, lastPrompt: "", lastReply: "" });
  });
});

describe("preview loader", () => {
  const about: SessionPreview = { gist: null, model: null, isForeign: false, lastPrompt: "", lastReply: "" };

  function item(path: string): SessionItem {
    return { path, id: path, cwd: "", created: "", modified: 0, size: 1, firstMessage: "" };
  }

  test("RES10 each preview is read once, and those of rows that were passed quickly are skipped", async () => {
    const readPaths: string[] = [];
    const look = createPreviewReader(
      async () => noRedaction,
      async ({ path }) => {
        readPaths.push(path);
        await new Promise((resolve) => setImmediate(resolve));
        return about;
      },
    );
    const { signal } = new AbortController();
    const first = look(["a", "b", "c", "d"].map(item), signal);
    const second = look(["a", "x", "y"].map(item), signal);
    const change = await second;
    await first;
    expect(readPaths.toSorted()).toEqual(["a", "x", "y"]);
    expect([...change(emptySessionsState).previews.keys()]).toEqual(["a", "x", "y"]);
  });
});

describe("first and last messages", () => {
  test("RES10 a gist is the goal and the next step, without marks and numbers", () => {
    const summary = [
      "<user-words>say it</user-words>",
      "## Goal",
      "- Ship the **importer** before Friday [#1, #3]",
      "- and tell what it cannot read (entry:abc)",
      "",
      "## Progress",
      "### Done",
      "- [x] reading rows [#2]",
      "",
      "### In Progress",
      "- [ ] broken rows of #5 [#3]",
      "",
      "## Next Steps",
      "1. write the tests",
    ].join("\n");
    expect(extractGist(summary)).toBe("Ship the importer before Friday. Next: broken rows of #5.");
  });

  test.each([
    ["## Goal\n- (none)\n\n## Next Steps\n1. look at it!\n", "Next: look at it!"],
    ["## Goal\n- Nur das hier", "Nur das hier."],
    [
      "# Turns so far (an automatic list; no model wrote it)\n- one → two [#1]\n\n# The user's latest request, still open [#3]\nshow me",
      "show me.",
    ],
    ["words of another program", null],
    ["", null],
  ])("RES10 a gist leaves out what the summary does not have: %j", (summary, gist) => {
    expect(extractGist(summary)).toBe(gist);
  });
});
