/** Golden screens of what one looks at: changes in files, and what was copied. */

import type { ChangedFile } from "../../../../src/commands/diff.ts";
import { createDiffPanel } from "../../../../src/modes/interactive/panels/diff.ts";
import { golden } from "./golden.ts";

const patch = [
  "@@ -12,7 +12,9 @@",
  " export function login(name: string, word: string): Login {",
  "   const user = users.get(name);",
  "-  if (user.word === word) return granted(user);",
  "+  if (!user) return refused;",
  "+  if (isSame(user.word, word)) return granted(user);",
  "+",
  "   return refused;",
  " }",
  "@@ -40,3 +42,3 @@",
  " // Compared in constant time.",
  "-const isSame = (one: string, other: string) => one === other;",
  "+const isSame = timingSafe;",
].join("\n");

const files: readonly ChangedFile[] = [
  { path: "src/login.ts", kind: "changed", added: 4, removed: 2, notes: [], patch },
  {
    ...{ path: "test/login.test.ts", kind: "new", added: 2, removed: 0, notes: ["other programs changed it too"] },
    patch: '@@ -0,0 +1,2 @@\n+test("a stranger is refused", () => {\n+});',
  },
  { path: "docs/old.md", kind: "removed", added: 0, removed: 1, notes: [], patch: "@@ -1,1 +0,0 @@\n-# Old" },
  {
    ...{ path: "logo.png", kind: "changed", added: 0, removed: 0, patch: "" },
    notes: ["not a text file: 3120 → 2988 bytes"],
  },
  { path: "notes.txt", kind: "same", added: 0, removed: 0, patch: "", notes: ["it has its original content again"] },
];

golden("the diff page", ({ screen }) => {
  void screen.showPanel(createDiffPanel(files), { where: "page" });
});

golden("the diff page with a file that others also changed", ({ screen, terminal }) => {
  void screen.showPanel(createDiffPanel(files), { where: "page" });
  terminal.press("\x1b[B");
});

golden("the diff page with many files", ({ screen, terminal }) => {
  const many = Array.from({ length: 40 }, (_, at) => ({
    ...(files[0] as ChangedFile),
    path: `src/part-${at}/index.ts`,
  }));
  void screen.showPanel(createDiffPanel(many), { where: "page" });
  for (let at = 0; at < 9; at += 1) terminal.press("\x1b[B");
  terminal.press("j", "j");
});
