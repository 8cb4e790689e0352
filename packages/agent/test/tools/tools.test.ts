/** Tests what grep, find and ls share: short descriptions and limited results. */

import { describe, expect, test } from "vitest";
import { createSearchTools } from "../support/file-tools.ts";

describe("search tools", () => {
  test("SEEK1 have short descriptions", () => {
    const schemas = createSearchTools().tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
    expect(schemas.map(({ name }) => name)).toEqual(["grep", "find", "ls"]);
    expect(JSON.stringify(schemas).length).toBeLessThan(1_800);
  });

  test("SEEK1 have a look intent with an absolute path, and are idempotent and concurrent", () => {
    const { root, tools } = createSearchTools();
    for (const { intent, isIdempotent, isConcurrent } of tools) {
      expect([isIdempotent, isConcurrent]).toEqual([true, true]);
      expect(intent?.({ path: "a/../b" })).toEqual({ type: "look", paths: [`${root}/b`] });
      expect(intent?.({ path: 7 })).toEqual({ type: "look", paths: [root] });
    }
  });
});

describe("limits of a result", () => {
  const files = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, at) => [`f${String(at).padStart(4, "0")}`, "needle\n"]),
  );

  test("SEEK6 the defaults are 100 hits, 1,000 files and 500 names, and a note says how to get fewer or more", async () => {
    const { runForText } = createSearchTools(files);
    const grep = (await runForText("grep", { pattern: "needle" })).split("\n");
    expect(grep.slice(0, -1)).toHaveLength(100);
    expect(grep.at(-1)).toBe(
      "[the first 100 matching lines; there are more: narrow pattern, path or glob, or raise limit]",
    );
    const find = (await runForText("find", { glob: "f*" })).split("\n");
    expect([find.length, find.at(-1)]).toEqual([
      1_001,
      "[the first 1,000 files; there are more: narrow glob or path, or raise limit]",
    ]);
    const ls = (await runForText("ls", {})).split("\n");
    expect([ls.length, ls.at(-1)]).toEqual([
      501,
      "[the first 500 names; there are more: list a subfolder, or use find, or raise limit]",
    ]);
  });

  test("SEEK8 a result has at most 2,000 lines and the bytes that the model has room for, and notes what was left out", async () => {
    const { runForText } = createSearchTools({ x: "needle\n".repeat(3_000) });
    const short = await runForText("grep", { pattern: "needle" }, 1_000);
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(1_000);
    expect(short).toMatch(
      /^x:1: needle\n[\s\S]+\n\[\d+ more lines did not fit, and there are more results; narrow pattern, path or glob\]$/,
    );
    const long = (await runForText("grep", { pattern: "needle", limit: 1_900, context: 1 }, 1e9)).split("\n");
    expect(long.slice(0, -1).length).toBeLessThanOrEqual(2_000);
    expect(Buffer.byteLength(await runForText("grep", { pattern: "needle", limit: "5000" }, 1e9))).toBeLessThanOrEqual(
      50 * 1024,
    );
    expect(await runForText("grep", { pattern: "needle", limit: 2 }, 10)).toMatch(/^\[2 more lines did not fit/);
  });

  test("SEEK9 control and invisible characters are escaped, and a result stays on its line", async () => {
    const evil = "a\u001b[31m\r\u0007\u009b\u202e\u{e0041}\u2028\u200b\tb";
    const spelled = "a\\x1b[31m\\r\\x07\\x9b\\u{202e}\\u{e0041}\\u{2028}\\u{200b}\tb";
    const { runForText } = createSearchTools({ "x\n\u001b]0;hi\u0007.ts": `needle ${evil} 👩‍💻\n` });
    expect(await runForText("grep", { pattern: "needle" })).toBe(`x\\n\\x1b]0;hi\\x07.ts:1: needle ${spelled} 👩‍💻`);
    expect(await runForText("find", { glob: "*.ts" })).toBe("x\\n\\x1b]0;hi\\x07.ts");
    expect(await runForText("ls", {})).toMatch(/^x\\n\\x1b\]0;hi\\x07\.ts {2}\d+ bytes$/);
    expect(await runForText("ls", { path: "x\u001b]0;hi.ts" })).toMatch(
      /^x\\x1b]0;hi\.ts does not exist; the folder contains x\\n\\x1b/,
    );
  });
});
