/** What keys do on the page of files that were changed on the way. */

import type { PlannedFile } from "@pith/agent";
import { expect, test } from "vitest";
import { openPanel } from "../../../../../src/modes/interactive/panels/panel.ts";
import { createFilesPanel } from "../../../../../src/modes/interactive/panels/tree/questions.ts";
import { createTheme } from "../../../../../src/modes/interactive/render/theme.ts";

const files = ["a.ts", "b.ts", "c.ts"].map(
  (name): PlannedFile => ({
    ...{
      path: `/work/${name}`,
      type: "restore",
      expectedHash: "a",
      targetHash: "b",
      currentHash: "a",
      hasForeignChanges: false,
    },
  }),
);

async function later(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("WLK10 only the diffs of selected files are read, each once", async () => {
  const read: string[] = [];
  const diff = async ({ path }: PlannedFile) => {
    read.push(path);
    return `+in ${path}`;
  };
  const page = openPanel(createFilesPanel({ files, folder: "/work", diff }), { where: "page", onChange: () => {} });
  await later();
  expect(read).toEqual(["/work/a.ts"]);
  for (const key of ["down", "up", "down"]) {
    page.handleKey(key);
    await later();
  }
  expect(read).toEqual(["/work/a.ts", "/work/b.ts"]);
  expect(page.render({ width: 60, height: 16, theme: createTheme("none") }).join("\n")).toContain("+in /work/b.ts");
});

test("WLK10 a diff scrolls to its end and no further", async () => {
  const diff = async () => Array.from({ length: 40 }, (_, at) => ` line ${at}.`).join("\n");
  const page = openPanel(createFilesPanel({ files, folder: "/work", diff }), { where: "page", onChange: () => {} });
  await later();
  const drawn = () => page.render({ width: 60, height: 16, theme: createTheme("none") }).join("\n");
  for (let turn = 0; turn < 30; turn++) page.handleKey("pageDown");
  expect(drawn()).toContain("line 39.");
  for (let turn = 0; turn < 3; turn++) page.handleKey("pageUp");
  expect(drawn()).toContain("line 15.");
});
