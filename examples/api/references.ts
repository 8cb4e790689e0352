/** Text that is loaded verbatim, such as a skill: never paraphrased in a summary, and attached again after a compaction. */

import assert from "node:assert/strict";
import { MemoryStore, type Redaction, Session } from "@pith/context";
import {
  attachImage,
  attachText,
  collectLoadedSkills,
  describeAttachment,
  displayText,
  editableText,
  entryText,
  findMissingSkills,
  noRedaction,
  readAttachmentMark,
  SKILL_LIST_TYPE,
  sanitizeLine,
  splitContent,
} from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";

// #region noRedaction
const redaction: Redaction = process.env.KEEP_ALL ? noRedaction : { redact: (value) => value }; // or a Vault from @pith/context/secrets
const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime, { redaction });
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

// #region collectLoadedSkills
const names = collectLoadedSkills(session.branch).map(({ name }) => name); // ["release-notes"]
// #endregion

// #region findMissingSkills
const missing = findMissingSkills(session.branch); // []: all of it is in the context
// #endregion

// #region SKILL_LIST_TYPE
const isList = session.branch.entries.some(
  (each) => each.type === "custom_message" && each.customType === SKILL_LIST_TYPE,
); // false
// #endregion

// #region entryText
const [entry] = session.branch.entries;
const words = entry && entryText(entry); // "Write one line for each change."
// #endregion

// #region sanitizeLine
const shown = sanitizeLine("one\u001b[31m\ntwo"); // "one two": a single line that cannot control the terminal
// #endregion

// #region attachText
const file = attachText({ kind: "file", name: "src/a.ts" }, "let a = 1;"); // <file path="src/a.ts">…</file>, marked as attached
const content = [file, { type: "text" as const, text: "Explain it." }];
// #endregion

// #region attachImage
const picture = attachImage("chart.png", { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }); // a line that names it, and the image
// #endregion

// #region readAttachmentMark
const mark = readAttachmentMark(file); // { kind: "file", name: "src/a.ts" }; null for what the user typed
// #endregion

// #region splitContent
const { typed, attachments } = splitContent(content); // "Explain it." and the file
// #endregion

// #region displayText
const title = displayText(content); // "@src/a.ts\nExplain it."
// #endregion

// #region editableText
const draft = editableText(content); // the same here; pasted text is put back in its place
// #endregion

// #region describeAttachment
const named = attachments.map(describeAttachment); // ["src/a.ts, 1 line"]
// #endregion

assert.deepEqual([mark, typed], [{ kind: "file", name: "src/a.ts" }, "Explain it."]);
assert.deepEqual(
  [title, draft, named, picture.length],
  ["@src/a.ts\nExplain it.", "@src/a.ts\nExplain it.", ["src/a.ts, 1 line"], 2],
);
assert.deepEqual([names, missing, isList], [["release-notes"], [], false]);
assert.deepEqual([words, shown], ["Write one line for each change.", "one two"]);
