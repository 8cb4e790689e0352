/** Blobs: images and long outputs that lie beside the log, and the text block that stands for each. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  blobReference,
  collectBlobs,
  createBlobBlock,
  type Entry,
  entryReference,
  inlineBlobs,
  isBlobHash,
  MIN_BLOB_DIGITS,
  parseBlobBlock,
  removeCitations,
  textTokens,
} from "@pith/context";
import { story } from "@pith/context/testing";

// #region createBlobBlock
const log = "one more line of output\n".repeat(5_000);
const hash = createHash("sha256").update(log).digest("hex");
const block = createBlobBlock({ hash, mimeType: "text/plain", bytes: log.length, tokens: textTokens(log) });
console.log(block.text); // "[text/plain, 117 KB, about 32,550 tokens: blob:…]": what the model sees, and pi too
// #endregion

// #region blobReference
const shortReference = blobReference(hash); // "blob:" and 8 digits of the hash: what a model reads and `read` opens
// #endregion

// #region entryReference
const reference = entryReference({ id: "4f2a91c0", number: 412 }); // "#412"; "entry:4f2a91c0" without a number
// #endregion

// #region MIN_BLOB_DIGITS
const isEnough = "1a2b3c4d".length >= MIN_BLOB_DIGITS; // true: the fewest digits of a hash that name a blob
// #endregion

// #region removeCitations
const prose = removeCitations("The cache is never hit [#3, #12], see issue #4."); // "The cache is never hit, see issue #4."
// #endregion

// #region isBlobHash
const isHash = isBlobHash("../../etc/passwd"); // false: nothing else is ever made into a path
// #endregion

// #region parseBlobBlock
const blob = parseBlobBlock(block); // { hash, mimeType: "text/plain", bytes: 120000 }
const none = parseBlobBlock({ type: "text", text: "an ordinary block" }); // null
// #endregion

const [, , entry] = story("user: Build it.", "calls: bash command=make", "result: …").map(
  (each): Entry =>
    each.type === "message" && each.message.role === "toolResult"
      ? { ...each, message: { ...each.message, content: [block] } }
      : each,
);
if (!entry) throw new Error("the story is too short");

// #region collectBlobs
const kept = collectBlobs(entry).map(({ bytes }) => bytes); // [120000]: what must be copied along with this entry
// #endregion

// #region inlineBlobs
const whole = inlineBlobs(entry, (each) => (each.hash === hash ? log : null)); // as if there were no blobs
// #endregion

assert.match(block.text, /^\[text\/plain, 117 KB, about 32,550 tokens: blob:[0-9a-f]{8}\]$/);
assert.deepEqual([isHash, blob, none], [false, { hash, mimeType: "text/plain", bytes: 120_000 }, null]);
assert.deepEqual(kept, [120_000]);
assert.deepEqual(whole.type === "message" && whole.message.role === "toolResult" && whole.message.content, [
  { type: "text", text: log },
]);
assert.equal(shortReference, `blob:${hash.slice(0, 8)}`);
assert.equal(reference, "#412");
assert.equal(isEnough, true);
assert.equal(prose, "The cache is never hit, see issue #4.");
