/** Texts without words, as files and tools give them: encoded bytes, digests, ids. */

import { between, type Random } from "../../random.ts";
import { lettersOf, many } from "./chance.ts";

export const noise: Readonly<Record<string, (next: Random) => string>> = {
  "base64 image": (next) => bytes(next, 24_000).toString("base64"),
  "base64 in lines": (next) =>
    (
      bytes(next, 24_000)
        .toString("base64")
        .match(/.{1,76}/g) ?? []
    ).join("\n"),
  "web tokens": (next) => many(120, () => many(3, () => bytes(next, 60).toString("base64url")).join(".")).join("\n"),
  digests: (next) => many(500, () => bytes(next, 32).toString("hex")).join("\n"),
  UUIDs: (next) => many(800, () => uuid(next)).join("\n"),
  "hex dump": (next) => many(500, (at) => dumpLine(next, at)).join("\n"),
};

function bytes(next: Random, count: number): Buffer {
  return Buffer.from(many(count, () => between(next, 0, 255)));
}

function uuid(next: Random): string {
  return [8, 4, 4, 4, 12].map((length) => lettersOf(next, "0123456789abcdef", length)).join("-");
}

function dumpLine(next: Random, at: number): string {
  const line = bytes(next, 16);
  const shown = line.toString("latin1").replace(/[^\x20-\x7e]/g, ".");
  const pairs = line.toString("hex").match(/.{2}/g) ?? [];
  return `${(at * 16).toString(16).padStart(8, "0")}  ${pairs.join(" ")}  |${shown}|`;
}
