/** What is loaded as it stands, such as a skill: never retold by a summary, and attached again by whoever compacts. */

import assert from "node:assert/strict";
import {
  asItIs,
  entryWords,
  LISTED,
  loadedReferences,
  MemoryStore,
  missingReferences,
  plainText,
  type Redaction,
  referenceOf,
  Session,
} from "@pith/context";
import { machine } from "@pith/context/node";

// #region asItIs
const redaction: Redaction = process.env.KEEP_ALL ? asItIs : { redacted: (value) => value }; // or a Vault of @pith/context/secrets
const session = await Session.open(MemoryStore.create(machine), machine, { redaction });
// #endregion

const reference = {
  kind: "skill",
  name: "release-notes",
  path: "/skills/release-notes/SKILL.md",
  hash: "0".repeat(64),
};
await session.append({
  type: "custom_message",
  customType: "pith.skill",
  content: "Write one line for each change.",
  display: false,
  details: { pith: { reference } },
});

// #region referenceOf
const [entry] = session.window.entries;
const loaded = entry && referenceOf(entry); // { kind: "skill", name: "release-notes", path: …, hash: … }
// #endregion

// #region loadedReferences
const names = loadedReferences(session.window).map(({ name }) => name); // ["release-notes"]
// #endregion

// #region missingReferences
const missing = missingReferences(session.window); // []: every word of it is in the context
// #endregion

// #region LISTED
const isList = session.window.entries.some((each) => each.type === "custom_message" && each.customType === LISTED); // false
// #endregion

// #region entryWords
const words = entry && entryWords(entry); // "Write one line for each change."
// #endregion

// #region plainText
const shown = plainText("one\u001b[31m\ntwo"); // "one two": a single line that steers no terminal
// #endregion

assert.deepEqual(loaded, reference);
assert.deepEqual([names, missing, isList], [["release-notes"], [], false]);
assert.deepEqual([words, shown], ["Write one line for each change.", "one two"]);
