/** Proves which citations exist. */

import { expect, test } from "vitest";
import { unknownId } from "../../../../src/summary/auditing/checks/ids.ts";
import { beforeAll, lineAt } from "../../../../src/summary/auditing/story/place-lines.ts";
import { evidenceFor } from "../asked.ts";

const evidence = evidenceFor(["user: hello", "says: hi"], {
  previous: "- earlier (entry:old-1)",
  words: "The user wrote:\n\n[entry:old_2]\nyes\n\n",
  ledger: "- ran it (entry:old.3).",
  request: { id: "old/4", text: "go" },
});

const noteOf = (text: string): string | undefined => unknownId(lineAt(beforeAll, { text, number: 7 }), evidence)?.note;

test.each([
  "no citation",
  "(entry:e1)",
  "(entry:e1, entry:e2)",
  "( entry:e1 ,entry:e2 )",
  "see entry:e1.",
  "**entry:e2**",
  "(Entry:e1)",
  "(entry:old-1) (entry:old_2) (entry:old.3) (entry:old/4)",
  "a sentry:box is no citation",
  "[x] [ ] [1] [e] [link](a)",
])("AUD2 %j cites what exists", (text) => {
  expect(noteOf(text)).toBeUndefined();
});

test.each([
  ["(entry:e3)", "e3"],
  ["(entry:e1, entry:e9, entry:zz)", "e9, zz"],
  ["(entry:E1)", "E1"],
  ["entry:e11", "e11"],
  ["fixed [e1]", "[e1]"],
  ["fixed [e1, e2] (entry:nope)", "nope, [e1, e2]"],
  ["entry:1 entry:2 entry:3 entry:4 entry:5 entry:6", "1, 2, 3, 4, 5"],
])("AUD2 %j cites what does not exist: %s", (text, ids) => {
  expect(noteOf(text)).toBe(`line 7 cites what does not exist: ${ids}`);
});
