/** Tests that tools redact output before they cut it. */

import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { redactSearch } from "../../src/index.ts";
import { MAX_PART_BYTES } from "../../src/tools/read/pages.ts";
import { createFileTools, createSearchFolder, engines, outputText, searchOptions } from "../support/file-tools.ts";
import { github, secretsFor } from "../support/secrets.ts";

const ends = [String(github).slice(0, 14), String(github).slice(-10)];

test.each(engines)(
  "SEC11 grep leaves no piece of a secret where it cuts a long line, searched %s",
  async (_, ripgrep) => {
    const fixture = createSearchFolder();
    for (const lead of [140, 160]) {
      const line = `${"a ".repeat(300)}${github}${"b ".repeat(lead / 2)}`;
      fixture.put({ left: `${line}needle${" c".repeat(400)}\n`, right: `needle${" c".repeat(235)} ${line}\n` });
      const found = await redactSearch(fixture.search(ripgrep), secretsFor()).grep(
        { pattern: "needle", path: "." },
        searchOptions(),
      );
      if (found.type !== "found") throw new Error(found.message);
      expect(found.items.map(({ text }) => text.includes("needle") && text.length <= 500)).toEqual([true, true]);
      for (const piece of ends) expect(JSON.stringify(found)).not.toContain(piece);
    }
  },
);

test("SEC11 the similar lines in the error of an edit contain no secret, cut or whole", async () => {
  const { put, run } = createFileTools({ redaction: secretsFor() });
  put("a.txt", `${"word ".repeat(58)}${github}\nnext line\n`);
  const words = outputText(
    await run("edit", { path: "a.txt", edits: [{ oldText: `${"word ".repeat(58)}x`, newText: "y" }] }),
  );
  expect(words).toContain("The most similar lines are:\n1: word");
  for (const piece of ends) expect(words).not.toContain(piece);
});

test("SEC11 read redacts the secrets of an old entry, also in a line that is split", async () => {
  for (let place = 0; place <= 40; place += 10) {
    const [entry] = story(`user: ${"x".repeat(MAX_PART_BYTES - place - 1)} ${github}`);
    const { run } = createFileTools({
      redaction: secretsFor(),
      entries: { entry: async () => entry, entryByNumber: async () => entry },
    });
    const words = outputText(await run("read", { path: `#${entry?.number}` }, 1_000_000));
    expect(words).toContain("xxx");
    for (const piece of ends) expect(words).not.toContain(piece);
  }
});
