/** Tests that a process without file handles or memory reports it and leaves the session unchanged. */

import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withTrailer } from "../../../src/format/line-checksum.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { chain, checksum, file, ourHeader, withTrailers } from "../../format/specimen.ts";
import { disks, expectBytes, temporaryFolder } from "./disks.ts";
import { openInChildProcess } from "./open-in-child-process.ts";
import { append, simulateProcesses } from "./simulate-processes.ts";

describe.each(disks)("on a disk that is %s", (_, disk) => {
  const whole = file(withTrailers(ourHeader, ...chain(2)));

  test.each(["writer", "follower", "takeover"] as const)(
    "D16 without file handles a %s gets an error message, nothing stays open, and a later attempt succeeds",
    async (as) => {
      for (const operation of ["open", "create"] as const) {
        const { files, path, put, bytes } = disk();
        put(path, whole);
        const { parts } = simulateProcesses(files);
        files.failEvery("EMFILE", [operation]);
        const found = await openStore(path, { ...parts, mode: as });
        if (as === "follower" && operation === "create") continue;
        expect(found).toMatchObject({ type: "unavailable", code: "EMFILE" });
        if (found.type === "unavailable") expect(found.why).toMatch(/s\.jsonl cannot be opened: .+/);
        expect(leftOpen(files.log)).toEqual([]);
        expectBytes(bytes(path), whole);
        files.clearFaults();
        expect((await openStore(path, { ...parts, mode: as })).type).toBe("opened");
      }
    },
  );

  test("D16 no file stays open after a failure while opening a session", async () => {
    for (let step = 1; step <= 30; step++) {
      const { files, path, put } = disk();
      put(path, whole);
      files.failAt(step, "EMFILE");
      const opened = await openStore(path, simulateProcesses(files).parts);
      if (opened.type === "opened") await opened.store.close();
      const which = files.log.find((line) => line.endsWith("EMFILE"));
      expect([which, leftOpen(files.log)]).toEqual([which, []]);
    }
  });

  test("D16 an append to an open session succeeds if no more files can be opened", async () => {
    const { files, path } = disk();
    const store = await simulateProcesses(files).create(path);
    files.failEvery("EMFILE", ["open", "create"]);
    expect(await append(store, "a")).toBe("appended");
  });
});

test("D16 a session of 100,000 entries can be opened and appended to with 128 MB of memory", async () => {
  const path = join(temporaryFolder(), "s.jsonl");
  compactedSession(path, 100_000);
  const flags = ["--max-old-space-size=128"];
  const found = await openInChildProcess(path, { as: "writer", append: true, flags });
  expect(found).toMatchObject({ outcome: "opened", damage: "", leaf: "e100000", appended: "appended" });
  expect(await openInChildProcess(path, { flags })).toMatchObject({ leaf: "appended", damage: "" });
});

/** The files that were opened and not closed. */
function leftOpen(log: readonly string[]): readonly string[] {
  const open: string[] = [];
  for (const line of log) {
    const [, act = "", path = "", failed] = /^(\w+) (\S+)(?: (?:read|append))?( E[A-Z]+)?/.exec(line) ?? [];
    if ((act === "open" || act === "create") && !failed) open.push(path);
    if (act === "close") open.splice(open.lastIndexOf(path), 1);
  }
  return open;
}

/** About 2 KB an entry, a compaction every 2,000. */
function compactedSession(path: string, count: number): void {
  const descriptor = openSync(path, "w", 0o600);
  const lines: string[] = [...withTrailers(ourHeader)];
  const text = "a few words of some length ".repeat(66);
  for (let at = 1; at <= count; at++) {
    const place = `"id":"e${at}","parentId":${at === 1 ? "null" : `"e${at - 1}"`},"timestamp":"2026-01-01T00:00:01.000Z"`;
    const carried = '"details":{"pith":{"carried":{"model":null,"thinkingLevel":"off","activeTools":null}}}';
    const line =
      at % 2000 === 0
        ? `{"type":"compaction",${place},"summary":"${text}","firstKeptEntryId":"e${at - 10}","tokensBefore":1,${carried}}`
        : `{"type":"message",${place},"message":{"role":"user","content":"${text}","timestamp":1767225600000}}`;
    lines.push(withTrailer(line, {}, checksum));
    if (lines.length === 2000 || at === count) writeSync(descriptor, `${lines.splice(0).join("\n")}\n`);
  }
  closeSync(descriptor);
}
