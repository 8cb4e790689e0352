/** Contexts: what a model sees at a leaf, the request built from it, who wrote each entry, and which files it touches. */

import assert from "node:assert/strict";
import { buildRequest, buildSessionContext, convertToLlm } from "@pith/context";
import {
  authorOf,
  collectFileLists,
  DAMAGE_TYPE,
  damageNote,
  fileTouches,
  mayBeLostMessage,
  mergeSystemMessages,
  TORN_END_NOTE,
} from "@pith/context/host";
import { loadBranch } from "@pith/context/store";
import { show, story } from "@pith/context/testing";

// #region buildSessionContext
const entries = story(
  "system: You are a coding agent.",
  "user: Why does it fail?",
  "calls: read path=src/main.ts; read path=error.log",
  "result c1: export const limit = 10;",
);
const context = buildSessionContext(loadBranch(entries));
const roles = context.messages.map(({ role }) => role); // ["system", "user", "assistant", "toolResult"]
const sources = context.sources; // ["e1", "e2", "e3", "e4"]: the entry each message comes from
// #endregion

// #region mergeSystemMessages
const folded = mergeSystemMessages(loadBranch(entries)); // everything about the prompt and the tools, as one message; null if there is nothing
// #endregion

// #region convertToLlm
const sent = convertToLlm(context.messages, { api: "openai-responses", provider: "openai", model: "gpt-5" });
// The second call has no result. Providers reject that, so it gets a result that says so:
const last = show(sent).split("\n").at(-1); // "4 tool      c2 -> (error) There is no result for this call: …"
// #endregion

// #region buildRequest
const to = { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5" };
const request = buildRequest(context, { model: to }); // what `Model.stream` takes
const system = request.system; // [{ name: "prompt", text: "You are a coding agent." }]
const marks = request.cacheMarks; // where the provider should cache the prefix
// #endregion

// #region authorOf
const speakers = entries.map(authorOf); // ["program", "person", "assistant", "tool"]
// #endregion

// #region mayBeLostMessage
const gap = { type: "gap", id: "e5", parentId: "e4", timestamp: "", why: "not JSON", kind: "user" } as const;
const isUnknown = mayBeLostMessage(gap); // true: nobody knows what the user said there, so do not continue automatically
// #endregion

// #region damageNote
const lost = damageNote(gap); // "[Pith: an entry in this session is damaged and cannot be read. It was a message from the user. …]"
// #endregion

// #region DAMAGE_TYPE
const noted = buildSessionContext(loadBranch([...entries, gap])).messages.at(-1);
const isNote = noted?.role === "custom" && noted.customType === DAMAGE_TYPE; // true: a note to the model replaces it
// #endregion

// #region TORN_END_NOTE
const tornNote = { type: "custom_message", customType: DAMAGE_TYPE, content: TORN_END_NOTE, display: false } as const;
// append it before the next message of a session whose end was torn off
// #endregion

// #region collectFileLists
const files = collectFileLists(entries); // { read: ["error.log", "src/main.ts"], modified: [] }
const own = collectFileLists(story("calls: patch target=a.ts"), { patch: { modifies: ["target"] } });
// { read: [], modified: ["a.ts"] }: a role says what your own tool does to files
// #endregion

// #region fileTouches
const touches = fileTouches(entries); // in order, each with its entry
// [{ path: "src/main.ts", did: "read", entryId: "e3" }, { path: "error.log", did: "read", entryId: "e3" }]
// #endregion

assert.ok(lost?.startsWith("[Pith: an entry in this session is damaged"));
assert.deepEqual([isUnknown, isNote, tornNote.content.startsWith("[Pith: ")], [true, true, true]);
assert.deepEqual(roles, ["system", "user", "assistant", "toolResult"]);
assert.deepEqual(sources, ["e1", "e2", "e3", "e4"]);
assert.match(last ?? "", /^4 tool {6}c2 -> \(error\) There is no result for this call: /);
assert.deepEqual(system, [{ name: "prompt", text: "You are a coding agent." }]);
assert.deepEqual(marks, [{ after: "system" }, { after: "message", index: 0 }, { after: "message", index: 3 }]);
assert.deepEqual(speakers, ["program", "person", "assistant", "tool"]);
assert.deepEqual(files, { read: ["error.log", "src/main.ts"], modified: [] });
assert.deepEqual(own, { read: [], modified: ["a.ts"] });
assert.equal(folded?.role, "system");
assert.deepEqual(touches, [
  { path: "src/main.ts", did: "read", entryId: "e3" },
  { path: "error.log", did: "read", entryId: "e3" },
]);
