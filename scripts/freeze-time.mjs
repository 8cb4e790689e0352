/** Preloaded by compare.ts: stops the clock and fixes random numbers, so that two programs with the same behaviour print the same. */

import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [NOW] : args));
  }
  static now() {
    return NOW;
  }
};
performance.now = () => 0;

let state = 1;
function nextByte() {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return state >>> 24;
}
const fill = (bytes) => bytes.map(nextByte);

Math.random = () => nextByte() / 256;
crypto.randomBytes = (size) => fill(Buffer.alloc(size));
crypto.randomUUID = () =>
  fill(Buffer.alloc(16))
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
globalThis.crypto.randomUUID = crypto.randomUUID;
syncBuiltinESMExports();
