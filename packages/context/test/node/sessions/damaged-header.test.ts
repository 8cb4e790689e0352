/** Tests sessions whose header or other lines are damaged: they are listed, opened by their path, and reported. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { createSession } from "../../../src/node/sessions/sessions.ts";
import { Session } from "../../../src/session/session.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-damage-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const cwd = "/home/ada/project";
const user = (text: string) =>
  ({ type: "message", message: { role: "user", content: [{ type: "text", text }], timestamp: 0 } }) as const;

async function sessionOf(...texts: readonly string[]): Promise<{ path: string; id: string; created: string }> {
  const opened = await createSession({ cwd, env: { PITH_HOME: home } });
  if (opened.type !== "opened") throw new Error(opened.type);
  const session = await Session.open(opened.store, nodeRuntime);
  for (const text of texts) await session.append(user(text));
  await opened.store.close();
  const { id, timestamp } = opened.store.header;
  return { path: opened.store.path, id, created: timestamp };
}

function damage(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

async function opened(path: string) {
  const outcome = await openStore(path);
  if (outcome.type !== "opened") throw new Error(outcome.type);
  return outcome.store;
}

describe("HARM4 a damaged header", () => {
  test.each([
    ["a letter of its folder", (text: string) => text.replace("ada", "bda")],
    ["its kind", (text: string) => text.replace('"session"', '"sessioo"')],
    ["its first bracket", (text: string) => `k${text.slice(1)}`],
    ["its line end", (text: string) => text.replace("\n", "\u000b")],
  ])(
    "HARM4 does not hide the session from a list, and the session opens with the id and folder of its path: %s",
    async (_, change) => {
      const { path, id, created } = await sessionOf("first words", "second words");
      damage(path, change);
      const [item] = await listSessions({ cwd, env: { PITH_HOME: home } });
      expect(item).toMatchObject({ id, cwd, created, firstMessage: expect.stringMatching(/words$/) });
      expect(item?.damaged).toBeUndefined();
      const store = await opened(path);
      expect(store.header).toMatchObject({ id, cwd, timestamp: created });
      expect((await store.damageOnOpen()).map(({ kind }) => kind)).toContain("damaged-header");
      await (await Session.open(store, nodeRuntime)).append(user("third words"));
      await store.close();
      const again = await opened(path);
      expect((await again.damageOnOpen()).map(({ kind }) => kind)).not.toContain("damaged-header");
      expect(again.header).toMatchObject({ id, cwd });
      await again.close();
    },
  );
});

describe("HARM3 the text of a damaged line", () => {
  test("HARM3 is not shown as the title, and the session does not look empty", async () => {
    const { path } = await sessionOf("wren");
    damage(path, (text) => text.replace("wren", "xren"));
    const [item] = await listSessions({ cwd, env: { PITH_HOME: home } });
    expect(item?.firstMessage).toBe("(damaged)");
  });

  test("HARM3 a title that is longer than the bytes read is verified first", async () => {
    const { path } = await sessionOf(`wren ${"x".repeat(400_000)}`);
    const first = async () => (await listSessions({ cwd, env: { PITH_HOME: home } }))[0]?.firstMessage.slice(0, 9);
    expect(await first()).toBe("wren xxxx");
    damage(path, (text) => text.replace("wren", "xren"));
    expect(await first()).toBe("(damaged)");
  });

  test("HARM3 NUM6 a changed number does not shift the numbers of later lines", async () => {
    const { path } = await sessionOf("one", "two", "three");
    damage(path, (text) => text.replace('"number":2', '"number":6'));
    const store = await opened(path);
    const numbers = (await store.branchEntries(await store.leaf())).map(({ number }) => number);
    expect(numbers).toEqual([1, 2, 3]);
    await store.close();
  });
});

describe("HARM1 damage found when opening", () => {
  test("HARM1 in a long file covers what the context needs, also with an index", async () => {
    const { path } = await sessionOf(...Array.from({ length: 300 }, (_, at) => `${at} ${"x".repeat(8_000)}`));
    const indexed = await opened(path);
    await indexed.prepareIndex();
    await indexed.close();
    damage(path, (text) => text.replace('"text":"150 x', '"text":"151 x'));
    const store = await opened(path);
    expect((await store.damageOnOpen()).map(({ kind, line }) => [kind, line])).toEqual([["wrong-checksum", 152]]);
    const { gaps } = await store.loadBranch(await store.leaf());
    expect(gaps.map(({ number, kind }) => [number, kind])).toEqual([[151, "user"]]);
    await store.close();
  });
});
