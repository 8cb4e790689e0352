/** Pins: text that every compaction keeps verbatim, until it is unpinned. */

import assert from "node:assert/strict";
import { buildSessionContext, MemoryStore, pinEntry, pinText, Session, unpin } from "@pith/context";
import { ENVIRONMENT_TYPE, PIN_TYPE, STATE_TYPE } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { show, story } from "@pith/context/testing";

const store = MemoryStore.create(nodeRuntime);
await store.append(story("user: The staging host is delta-7.", "says: Noted."), { expectedLeaf: null });
const session = await Session.open(store, nodeRuntime);

// #region pinText
await pinText(session, "Never change the lock file.");
const lastLine = show(buildSessionContext(session.branch).messages).split("\n").at(-1);
// "2 custom    Never change the lock file.": the model reads it at once
// #endregion

// #region pinEntry
const outcome = await pinEntry(session, "e1"); // pins the entry's text; the entry itself stays where it is
const texts = session.branch.state.pins.map(({ text }) => text);
// ["Never change the lock file.", "The staging host is delta-7."]
// #endregion

// #region PIN_TYPE
const pin = await session.store.entry(outcome.leaf ?? ""); // { type: "custom", customType: "pith.pin", data: … }
const isPin = pin?.type === "custom" && pin.customType === PIN_TYPE; // true
// #endregion

// #region ENVIRONMENT_TYPE
const isEnvironment = pin?.type === "custom_message" && pin.customType === ENVIRONMENT_TYPE; // false: folder, date and branch
// #endregion

// #region STATE_TYPE
const isState = pin?.type === "custom_message" && pin.customType === STATE_TYPE; // false: an extension's state
// #endregion

// #region unpin
const [first] = session.branch.state.pins;
if (first) await unpin(session, first.id); // only the second pin is left
// #endregion

assert.equal(lastLine, "2 custom    Never change the lock file.");
assert.deepEqual(texts, ["Never change the lock file.", "The staging host is delta-7."]);
assert.equal(isPin, true);
assert.deepEqual(
  session.branch.state.pins.map(({ text }) => text),
  ["The staging host is delta-7."],
);
assert.deepEqual([isEnvironment, isState], [false, false]);
