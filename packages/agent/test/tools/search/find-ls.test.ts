/** Tests the tools find and ls. */

import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createSearchTools } from "../../support/file-tools.ts";

describe("find", () => {
  const files = { "src/new.ts": "", "src/in/old.ts": "", "c.md": "" };

  test("SEEK14 files are listed newest first, with paths that the next call can use", async () => {
    const { runForText } = createSearchTools(files);
    expect(await runForText("find", { glob: "*.ts" })).toBe("src/new.ts\nsrc/in/old.ts");
    expect(await runForText("find", { glob: "*.ts", path: "src/in/" })).toBe("src/in/old.ts");
    expect(await runForText("find", { glob: "*.ts", limit: "1" })).toBe(
      "src/new.ts\n[the first 1 file; there are more: narrow glob or path, or raise limit]",
    );
  });

  test("SEEK10 a missing glob, no matches and a file as the folder get a message", async () => {
    const { runForText } = createSearchTools(files);
    expect(await runForText("find", {})).toBe("glob is missing");
    expect(await runForText("find", { glob: "*.go" })).toBe(
      "[no files found; ignored files are skipped unless path names their folder; files that you may not read are always skipped]",
    );
    expect(await runForText("find", { glob: "*", path: "c.md" })).toBe("c.md is a file, not a folder");
  });
});

describe("ls", () => {
  test("SEEK13 folders, links and files are distinguished, and files have a size", async () => {
    const { runForText, at } = createSearchTools({ "src/a.ts": "", ".env": "x", "big.bin": "y".repeat(1536) });
    symlinkSync("src", at("link"));
    mkdirSync(at("empty"));
    expect(await runForText("ls", {})).toBe(".env  1 byte\nbig.bin  1.5 KB\nempty/\nlink@\nsrc/");
    expect(await runForText("ls", { path: "src" })).toBe("a.ts  0 bytes");
    expect(await runForText("ls", { path: "empty" })).toBe("[the folder is empty]");
    expect(await runForText("ls", { path: "big.bin" })).toBe("big.bin is a file, not a folder");
  });
});
