/** Several programs, one index: each finds what another has just written, one reads at a time, and none warns of experiments. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { realFiles } from "../../src/node/files.ts";
import { acquireLease, realProcessTable } from "../../src/node/lease.ts";
import { nodeRuntime } from "../../src/node/runtime.ts";
import { openDatabase } from "../../src/search/database.ts";
import { searchSessions } from "../../src/search/search.ts";
import { appendLines, createSearchHome, userLine } from "./search-home.ts";

test("FIND5 one process finds what another appended, without an experimental warning", async () => {
  const on = createSearchHome();
  const path = on.session("s", [userLine("one", "needle")]);
  const searcher = new Searcher(on.home);
  expect(await searcher.search()).toEqual({ ids: ["one"], pending: null });
  appendLines(path, userLine("two", "needle"));
  expect(await searcher.search()).toEqual({ ids: ["one", "two"], pending: null });
  expect(searcher.complaints).toBe("");
});

test("FIND8 while one process updates the index, the others search the existing one and report it", async () => {
  const on = createSearchHome();
  const path = on.session("s", [userLine("one", "needle")]);
  expect(await on.ids("needle")).toEqual(["one"]);
  appendLines(path, userLine("two", "needle"));
  const { now, nonce } = nodeRuntime;
  const leasing = acquireLease(join(on.home, "search.db"), {
    files: realFiles,
    processes: realProcessTable,
    now,
    nonce,
  });
  const found = await searchSessions("needle", { env: on.env });
  expect(found).toMatchObject({
    hits: [{ entry: "one" }],
    pending: { why: expect.stringContaining("another process") },
  });
  if (leasing.type === "leased") leasing.lease.release();
  expect(await on.ids("needle")).toEqual(["one", "two"]);
});

test("FIND8 three processes that start at once create one complete index", async () => {
  const on = createSearchHome();
  for (let at = 0; at < 30; at++)
    on.session(`s${at}`, [userLine(`e${at}`, `needle ${"words and more ".repeat(1_000)}`)]);
  const searchers = [1, 2, 3].map(() => new Searcher(on.home));
  await Promise.all(searchers.map((searcher) => searcher.search()));
  expect(await on.ids("needle", { limit: 100 })).toHaveLength(30);
  for (const { complaints } of searchers) expect(complaints).toBe("");
});

test("FIND8 an index that another process is creating is not deleted", async () => {
  const on = createSearchHome();
  on.session("s", [userLine("one", "needle")]);
  const path = join(on.home, "search.db");
  const other = openDatabase(path);
  other.exec("PRAGMA journal_mode = WAL");
  const { ino } = statSync(path);
  expect(await on.ids("needle")).toEqual(["one"]);
  expect(statSync(path).ino).toBe(ino);
  other.close();
});

interface Answer {
  readonly ids: readonly string[];
  readonly pending: unknown;
}

class Searcher {
  complaints = "";
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor(home: string) {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, "searcher.ts"), home, "needle"]);
    this.#child.stderr.on("data", (bytes: Buffer) => {
      this.complaints += bytes.toString();
    });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    onTestFinished(() => void this.#child.kill());
  }

  async search(): Promise<Answer> {
    this.#child.stdin.write("search\n");
    const { value } = (await this.#answers.next()) as { readonly value: string | undefined };
    if (value === undefined) throw new Error(this.complaints);
    return JSON.parse(value) as Answer;
  }
}
