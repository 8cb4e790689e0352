/** Pins: words that survive every compaction, letter by letter, until they are taken away. */

import assert from "node:assert/strict";
import {
  buildSessionContext,
  ENVIRONMENT,
  MemoryStore,
  PIN,
  pinEntry,
  pinWords,
  Session,
  STATE,
  UNPIN,
  unpin,
} from "@pith/context";
import { machine } from "@pith/context/node";
import { show, story } from "@pith/context/testing";

const store = MemoryStore.create(machine);
await store.append(story("user: The staging host is delta-7.", "says: Noted."), { expectedLeaf: null });
const session = await Session.open(store, machine);

// #region pinWords
await pinWords(session, "Never change the lock file.");
const seen = show(buildSessionContext(session.window).messages).split("\n").at(-1);
// "2 custom    Never change the lock file.": the model reads it at once
// #endregion

// #region pinEntry
const outcome = await pinEntry(session, "e1"); // what was said there; it stays in its place, and is pinned too
const texts = session.window.state.pins.map(({ text }) => text);
// ["Never change the lock file.", "The staging host is delta-7."]
// #endregion

// #region PIN
const pin = await session.store.entry(outcome.leaf ?? ""); // { type: "custom", customType: "pith.pin", data: … }
const isPin = pin?.type === "custom" && pin.customType === PIN; // true
// #endregion

// #region ENVIRONMENT
const isEnvironment = pin?.type === "custom_message" && pin.customType === ENVIRONMENT; // false: folder, date and branch
// #endregion

// #region STATE
const isState = pin?.type === "custom_message" && pin.customType === STATE; // false: what an extension states
// #endregion

// #region unpin
const [first] = session.window.state.pins;
if (first) await unpin(session, first.id); // only the second one is left
// #endregion

// #region UNPIN
const last = session.window.entries.at(-1); // taking it away is an entry too: moving back brings the pin back
const isUnpin = last?.type === "custom" && last.customType === UNPIN; // true
// #endregion

assert.equal(seen, "2 custom    Never change the lock file.");
assert.deepEqual(texts, ["Never change the lock file.", "The staging host is delta-7."]);
assert.deepEqual([isPin, isUnpin], [true, true]);
assert.deepEqual(
  session.window.state.pins.map(({ text }) => text),
  ["The staging host is delta-7."],
);
assert.deepEqual([isEnvironment, isState], [false, false]);
