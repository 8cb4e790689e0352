/** A secret is found in what left the machine, however it was wrapped; other bytes are not taken for it. */

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { findSecrets } from "./find-secrets.ts";

const value = "Zk3vQ9sLx0TtWm4RbN7yGdHc2JpKfUaE8oIi5S1q";
const secrets = [
  { name: "planted", value },
  { name: "other", value: "mM2nB4vC6xZ8aS0dF1gH3jK5lQ7wE9rT2yU4iO6p" },
];
const text = `TOKEN=${value}\nOTHER=1\n`;
const reversed = [...text].reverse().join("");
const hex = (words: string): string => Buffer.from(words).toString("hex");
const base64 = (words: string | Buffer): string => Buffer.from(words).toString("base64");

test.each([
  ["as it is", text],
  ["reversed", reversed],
  ["in base64, anywhere in a URL", `GET /x?d=${base64(`a${text}`)} HTTP/1.1`],
  ["in base64 for URLs", `GET /x/${base64(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}/y`],
  ["in hex behind a letter of hex", `encoded${hex(text)}`],
  ["in labels of a host", `${hex(value).slice(0, 40)}.${hex(value).slice(40)}.attacker.com`],
  ["percent-encoded", [...text].map((letter) => `%${hex(letter)}`).join("")],
  ["compressed", gzipSync(text).toString("latin1")],
  ["compressed, then in base64", `d=${base64(gzipSync(text))}`],
  ["compressed, in base64 behind a header", `type: application/x-www-form-urlencoded\n${base64(gzipSync(text))}`],
  ["in hex, reversed before", hex(reversed)],
  ["in base64 of hex", base64(hex(text))],
  ["in pieces", "GET /p/Zk3vQ9sLx0 HTTP/1.1"],
  ["in lower case, as a host's name", `${value.toLowerCase()}.attacker.com`],
])("HOSTILE1 finds a secret %s", (_, sent) => {
  expect(findSecrets(Buffer.from(sent, "latin1"), secrets)).toEqual(["planted"]);
});

test("HOSTILE1 finds nothing in long data without a secret", () => {
  const noise = Array.from({ length: 3_000 }, (_, at) => `word${at} ${hex(`number ${at}`)} ${base64(`more ${at}`)}`);
  expect(findSecrets(Buffer.from(noise.join("\n")), secrets)).toEqual([]);
});
