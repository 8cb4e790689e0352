/** Eight processes that all want to write one session, and one that follows it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createStore, type OpenResult, openStore } from "../../../src/node/jsonl/open-store.ts";
import { isLong } from "../../support/test-length.ts";
import { type Ending, startedChild } from "./child.ts";
import { readContents } from "./file-contents.ts";
import { parseReport } from "./report.ts";

const WRITERS = 8;
const EACH = isLong ? 1000 : 200;
const TURN = 50;

const folder = mkdtempSync(join(tmpdir(), "pith-writers-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("DISK6 DISK7 D7 eight processes write into one chain, and a follower sees each of them once", async () => {
  const path = await emptySession("eight.jsonl");
  const follower = startedChild("follow", [path, String(WRITERS * EACH)]);
  onTestFinished(() => follower.killed());
  await follower.firstWord;
  const writers = Array.from({ length: WRITERS }, () =>
    startedChild("write-in-turns", [path, String(EACH), String(TURN)]),
  );
  const endings = await Promise.all(writers.map((writer) => writer.end));
  const written = endings.flatMap(outputLines);
  const lines = outputLines(await follower.end);

  const { store } = await openedSoon(path);
  expect(await store.check()).toEqual([]);
  await store.close();
  const { entries, branch, window, damage } = await readContents(path);
  const inFile = entries.map(({ id }) => id);
  expect({ count: inFile.length, damage }).toEqual({ count: WRITERS * EACH, damage: [] });
  expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...inFile.slice(0, -1)]);
  expect(branch).toEqual(inFile);
  expect(window).toEqual(inFile);
  expect(written.toSorted()).toEqual(inFile.toSorted());
  expect(lines).toEqual(["ready", ...inFile]);
});

test("DISK6 D7 a second writer gets the owner of the session, and takes over at once when the owner was killed", async () => {
  const path = await emptySession("held.jsonl");
  const holder = startedChild("write", [path, "200", "durable", "1"]);
  onTestFinished(async () => {
    await holder.killed();
    await holder.end;
  });
  await holder.firstWord;

  expect(await openStore(path)).toMatchObject({ type: "held", owner: { pid: holder.process.pid } });

  await holder.killed();
  await holder.end;
  const opened = await openStore(path);
  if (opened.type !== "opened") throw new Error(`the dead writer still holds the session: ${opened.type}`);
  const { store } = opened;
  expect(store.isWriter).toBe(true);
  const ids = new Set((await readContents(path)).entries.map(({ id }) => id));
  expect(parseReport((await holder.end).output).filter(({ id }) => !ids.has(id))).toEqual([]);
  await store.close();
});

async function emptySession(name: string): Promise<string> {
  const path = join(folder, name);
  const made = await createStore(path, { cwd: "/" });
  if (made.type !== "opened") throw new Error(`not made: ${JSON.stringify(made)}`);
  await made.store.close();
  return path;
}

/** Asks until the dead one is known to be dead. */
async function openedSoon(path: string): Promise<OpenResult & { type: "opened" }> {
  for (let tries = 0; tries < 6_000; tries++) {
    const opened = await openStore(path);
    if (opened.type === "opened") return opened;
    await wait(10);
  }
  throw new Error("the dead writer still holds the session");
}

function outputLines({ output: text, errors, code }: Ending): readonly string[] {
  if (code !== 0) throw new Error(`a child ended with ${code}: ${errors}`);
  return text.split("\n").slice(0, -1);
}
