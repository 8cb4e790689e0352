/** Files: from a session's bytes to its entries and back. Damage is reported, never thrown. */

import assert from "node:assert/strict";
import { formatLimits } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import {
  crashDamageKinds,
  createHeader,
  decodeSession,
  encodeSession,
  harmlessDamageKinds,
  serializeEntry,
} from "@pith/context/store";
import { story } from "@pith/context/testing";

// #region createHeader
const header = createHeader({ cwd: "/project" }, nodeRuntime);
// { type: "session", version: 3, id: …, timestamp: …, cwd: "/project", pith: { format: 1 } }
// #endregion

// #region serializeEntry
const entries = story("user: Make it faster.", "says: With a cache?");
const lines = entries.map((entry) => serializeEntry(entry)); // ['{"type":"message","message":{"role":"user",…}']
// #endregion

// #region encodeSession
const bytes = encodeSession([JSON.stringify(header), ...lines], nodeRuntime.checksum);
// a Pith file: each line ends in a checksum, `,"crc":"1f0a33b7"}`; pi opens it too
// #endregion

// #region decodeSession
const torn = bytes.subarray(0, -5); // as after a crash; any bytes can be decoded
const file = decodeSession(torn, nodeRuntime);
const whole = file.lines.map(({ entry }) => entry.id); // ["e1"]
const damage = file.damage.map(({ kind, line }) => `line ${line}: ${kind}`); // ["line 3: torn-tail"]
// #endregion

// #region harmlessDamageKinds
const isHarmless = harmlessDamageKinds.has("duplicate-line"); // true: the copy is ignored and no data is lost
// #endregion

// #region crashDamageKinds
const isTorn = file.damage.some(({ kind }) => crashDamageKinds.has(kind)); // true: the next append sets the torn end aside
// #endregion

// #region formatLimits
const { lineBytes, depth } = formatLimits; // 33,554,432 bytes per line, 200 levels of nesting
const [first] = entries;
const tooLong = () => first && serializeEntry(first, { ...formatLimits, lineBytes: 100 }); // throws: store it as a blob
// #endregion

assert.deepEqual(
  { ...header, id: "", timestamp: "" },
  { type: "session", version: 3, id: "", timestamp: "", cwd: "/project", pith: { format: 1 } },
);
assert.match(new TextDecoder().decode(bytes), /,"crc":"[0-9a-f]{8}"\}\n$/);
assert.deepEqual([whole, damage], [["e1"], ["line 3: torn-tail"]]);
assert.deepEqual([isHarmless, isTorn], [true, true]);
assert.deepEqual([lineBytes, depth], [32 * 1024 * 1024, 200]);
assert.throws(tooLong, /^Error: entry e1 is longer than 100 bytes; store its content as a blob$/);
