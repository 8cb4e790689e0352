/** Tests that files of nothing but line ends cost as much as reading their bytes, not as much as as many lines. */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "@pith/context";
import { createStore, nodeRuntime, openStore, purgeSession } from "@pith/context/node";
import { decodeSession } from "@pith/context/store";
import { afterAll, describe, expect, test } from "vitest";
import { expectCpuRatio } from "../support/expect-speed.ts";

describe("files of blank lines", () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-blank-lines-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const MILLIONS = 8_000_000;
  let files = 0;

  const bytes = Buffer.alloc(MILLIONS, "\n");

  /** The reference is a pass over as many bytes, one by one. */
  async function expectBoundedTime(run: () => Promise<unknown>): Promise<void> {
    const reference = (): void => {
      let count = 0;
      for (const byte of bytes) if (byte === 0x0a) count += 1;
      expect(count).toBe(MILLIONS);
    };
    await expectCpuRatio({ run, reference, ratio: 30, floorMs: 200 });
  }

  async function sessionWith(name: string, more: string): Promise<string> {
    files += 1;
    const path = join(folder, `${name}-${files}.jsonl`);
    const made = await createStore(path, { cwd: "/code" });
    if (made.type !== "opened") throw new Error(made.type);
    const session = await Session.open(made.store, nodeRuntime);
    await session.append({ type: "message", message: { role: "user", content: "one", timestamp: 1 } });
    await made.store.close();
    appendFileSync(path, more);
    return path;
  }

  async function openAndAppend(path: string): Promise<number> {
    const opened = await openStore(path);
    if (opened.type !== "opened") throw new Error(JSON.stringify(opened));
    const session = await Session.open(opened.store, nodeRuntime);
    await session.append({ type: "message", message: { role: "user", content: "two", timestamp: 2 } });
    await opened.store.close();
    return session.branch.entries.length;
  }

  test.each([
    ["line ends", "\n"],
    ["carriage returns and line ends", "\r\n"],
    ["lines of spaces", "   \n"],
    ["line ends behind a damaged line", "\n"],
  ])("FILE28 a session that ends in millions of %s opens and grows in bounded time", async (name, unit) => {
    const broken = name.includes("damaged") ? '{"broken\n' : "";
    const path = await sessionWith(name.replaceAll(" ", "-"), broken + unit.repeat(MILLIONS / unit.length));
    const counts: number[] = [];
    await expectBoundedTime(async () => counts.push(await openAndAppend(path)));
    // Each try appends one.
    expect(counts).toEqual(counts.map((_, at) => at + 2));
  });

  test("FILE28 a file of line ends opens in bounded time, also in UTF-16", async () => {
    const path = join(folder, "only.jsonl");
    writeFileSync(path, Buffer.alloc(MILLIONS, "\n"));
    await expectBoundedTime(() => openAndAppend(path));
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(MILLIONS, Buffer.from("\n\0"))]);
    await expectBoundedTime(async () => decodeSession(wide, { checksum: nodeRuntime.checksum }));
  });

  test("FILE28 blank lines of every kind are skipped in both directions, and lines keep their numbers", async () => {
    const path = await sessionWith("mixed", "\n\r\n \n\t\r\n");
    expect(await openAndAppend(path)).toBe(2);
    appendFileSync(path, "\n\n{broken\n \n");
    const opened = await openStore(path);
    if (opened.type !== "opened") throw new Error(opened.type);
    const session = await Session.open(opened.store, nodeRuntime);
    expect(session.branch.entries).toHaveLength(2);
    expect(opened.store.damage.map(({ line }) => line)).toEqual([10]);
    await opened.store.close();
  });

  test("FILE29 a purge counts a secret in an overlong line", async () => {
    const path = await sessionWith("long", `{"text":"${"x".repeat(2_000_000)} needle"}\n`);
    const redaction = {
      redact: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll("needle", "···")),
    };
    const limits = { lineBytes: 1_000_000, depth: 100 };
    expect(await purgeSession(path, { redaction, isDryRun: true, limits })).toMatchObject({ type: "purged", lines: 1 });
  });
});
