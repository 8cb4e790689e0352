/** Tests the history of the messages in a folder, over all its sessions. */

import { appendFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addToHistory, historyFile, readHistory } from "../../../../src/modes/interactive/editor/editor.ts";

function place(cwd = "/work/a") {
  const home = mkdtempSync(join(tmpdir(), "pith-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return { home, cwd };
}

test("TYP15 the history of a folder has each message once, oldest first, in a file only for its owner", async () => {
  const here = place();
  for (const words of ["one", "two\nlines", "one"]) await addToHistory(words, here);
  expect(await readHistory(here)).toEqual(["two\nlines", "one"]);
  expect(await readHistory({ ...here, cwd: "/work/b" })).toEqual([]);
  expect(statSync(historyFile(here)).mode & 0o777).toBe(0o600);
});

test("TYP15 the history is limited, and a broken line is skipped", async () => {
  const here = place();
  await addToHistory("first", here);
  const lines = Array.from({ length: 2_000 }, (_, at) => `${JSON.stringify(`words ${at}`)}\n`);
  appendFileSync(historyFile(here), `${lines.join("")}"broken o\n`);
  const history = await readHistory(here);
  expect([history.length, history[0], history.at(-1)]).toEqual([100, "words 1900", "words 1999"]);
  expect(statSync(historyFile(here)).size).toBeLessThan(2_000);
  expect(statSync(historyFile(here)).mode & 0o777).toBe(0o600);
  await addToHistory("x".repeat(20_000), here);
  expect((await readHistory(here)).at(-1)).toBe("words 1999");
});
