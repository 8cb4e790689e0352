/** Blobs: images and long output that are stored next to the log, and the text block that replaces each. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  blobReference,
  entryReference,
  isBlobHash,
  MIN_BLOB_DIGITS,
  parseBlobBlock,
  removeCitations,
} from "@pith/context/host";

const log = "one more line of output\n".repeat(5_000);
const hash = createHash("sha256").update(log).digest("hex");

// #region blobReference
const shortReference = blobReference(hash); // "blob:" and 8 digits of the hash: what a model reads and `read` opens
// #endregion

// #region entryReference
const reference = entryReference({ id: "4f2a91c0", number: 412 }); // "#412"; "entry:4f2a91c0" without a number
// #endregion

// #region MIN_BLOB_DIGITS
const isEnough = "1a2b3c4d".length >= MIN_BLOB_DIGITS; // true: the fewest hash digits that identify a blob
// #endregion

// #region removeCitations
const prose = removeCitations("The cache is never hit [#3, #12], see issue #4."); // "The cache is never hit, see issue #4."
// #endregion

// #region isBlobHash
const isHash = isBlobHash("../../etc/passwd"); // false: only a hash is ever used as a path
// #endregion

// #region parseBlobBlock
const text = `[text/plain, 117 KB, about 32,550 tokens: ${shortReference}]`; // what the model sees
const block = { type: "text", text, pith: { blob: hash, mimeType: "text/plain", bytes: log.length } };
const blob = parseBlobBlock(block); // { hash, mimeType: "text/plain", bytes: 120000 }
const none = parseBlobBlock({ type: "text", text: "an ordinary block" }); // null
// #endregion

assert.deepEqual([isHash, blob, none], [false, { hash, mimeType: "text/plain", bytes: 120_000 }, null]);
assert.equal(shortReference, `blob:${hash.slice(0, 8)}`);
assert.equal(reference, "#412");
assert.equal(isEnough, true);
assert.equal(prose, "The cache is never hit, see issue #4.");
