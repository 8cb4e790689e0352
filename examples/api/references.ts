/** What is loaded as it stands, such as a skill: never retold by a summary, and attached again by whoever compacts. */

import assert from "node:assert/strict";
import {
  asItIs,
  attachImage,
  attachText,
  describeAttachment,
  displayText,
  editableText,
  entryWords,
  LISTED,
  loadedReferences,
  MemoryStore,
  markOf,
  missingReferences,
  plainText,
  type Redaction,
  referenceOf,
  Session,
  splitContent,
  typedText,
  userParts,
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

// #region attachText
const file = attachText({ kind: "file", name: "src/a.ts" }, "let a = 1;"); // <file path="src/a.ts">…</file>, marked as attached
const content = [file, { type: "text" as const, text: "Explain it." }];
// #endregion

// #region attachImage
const picture = attachImage("chart.png", { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }); // a line that names it, and the image
// #endregion

// #region markOf
const mark = markOf(file); // { kind: "file", name: "src/a.ts" }; null for what the user typed
// #endregion

// #region splitContent
const { typed, attachments } = splitContent(content); // "Explain it." and the file
// #endregion

// #region typedText
const own = typedText(content); // "Explain it."
// #endregion

// #region userParts
await session.append({ type: "message", message: { role: "user", content, timestamp: Date.now() } });
const parts = session.window.entries.map((each) => userParts(each).typed); // ["", "Explain it."]
// #endregion

// #region displayText
const title = displayText(content); // "@src/a.ts\nExplain it."
// #endregion

// #region editableText
const draft = editableText(content); // the same here; a paste stands in its place again
// #endregion

// #region describeAttachment
const named = attachments.map(describeAttachment); // ["src/a.ts, 1 line"]
// #endregion

assert.deepEqual(
  [mark, typed, own, parts],
  [{ kind: "file", name: "src/a.ts" }, "Explain it.", "Explain it.", ["", "Explain it."]],
);
assert.deepEqual(
  [title, draft, named, picture.length],
  ["@src/a.ts\nExplain it.", "@src/a.ts\nExplain it.", ["src/a.ts, 1 line"], 2],
);
assert.deepEqual(loaded, reference);
assert.deepEqual([names, missing, isList], [["release-notes"], [], false]);
assert.deepEqual([words, shown], ["Write one line for each change.", "one two"]);
