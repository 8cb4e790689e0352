/** The table of protections in docs/security.md: each row names test files that are there and cite the rules beside them. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settingTable } from "../../../host/src/settings/table.ts";

const docs = join(import.meta.dirname, "../../../../docs");
const page = readFileSync(join(docs, "security.md"), "utf8");
const [, table = ""] = /^## What is enforced where$(.*?)^## /ms.exec(page) ?? [];
const rows = [...table.matchAll(/^\| \*\*(.+)$/gm)].map(([, row = ""]) => row.split("|").map((cell) => cell.trim()));

test("DOC2 every row says what holds on each system and names an existing test that cites its rule", () => {
  expect(rows.length).toBeGreaterThanOrEqual(16);
  for (const [name = "", ...cells] of rows) {
    const [bubblewrap, without, mac, windows, shown = ""] = cells;
    expect(
      [bubblewrap, without, mac, windows].every((cell) => cell !== undefined && cell !== ""),
      name,
    ).toBe(true);
    const cited = [...shown.matchAll(/\[[^\]]+\]\(([^)]+)\)((?: [A-Z]+\d+)+)/g)];
    expect(cited.length, `${name} names no test`).toBeGreaterThan(0);
    for (const [, file = "", rules = ""] of cited) {
      const path = join(docs, file);
      expect(existsSync(path), `${name}: ${file}`).toBe(true);
      const text = readFileSync(path, "utf8");
      for (const rule of rules.trim().split(" "))
        expect(new RegExp(`\\b${rule}\\b`).test(text), `${name}: ${file} does not cite ${rule}`).toBe(true);
    }
  }
});

test("DOC2 every setting that the page names as allowing something exists", () => {
  const [, allowed = ""] = /^## Allow what is blocked$(.*?)^## /ms.exec(page) ?? [];
  const names = [...allowed.matchAll(/`"(\w+)"/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(5);
  const known = settingTable.map(({ name }) => name);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});
