/** The key that names secrets: made once, for its owner alone. */

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keyedDigest, redactionKeyFile } from "../../../src/home/secrets/keyed-digest.ts";

let home: string;
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), "pith-key-")), "home");
});
afterEach(() => rmSync(join(home, ".."), { recursive: true }));

test("SEC4 the key is made at the first secret, its owner's alone, and is the same for every program after that", () => {
  const [one, other] = [keyedDigest(home), keyedDigest(home)];
  expect(existsSync(home)).toBe(false);
  expect(one("a secret")).toBe(other("a secret"));
  expect(one("a secret")).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(redactionKeyFile(home)).mode & 0o777).toBe(0o600);
  expect([readFileSync(redactionKeyFile(home)).length, readdirSync(home)]).toEqual([32, ["redaction.key"]]);
});

test("SEC4 a key that others could read is closed to them; a link, or what is no key, is not believed and not touched", () => {
  const first = keyedDigest(home)("a secret");
  chmodSync(redactionKeyFile(home), 0o644);
  expect(keyedDigest(home)("a secret")).toBe(first);
  expect(statSync(redactionKeyFile(home)).mode & 0o777).toBe(0o600);
  const elsewhere = join(home, "elsewhere");
  writeFileSync(elsewhere, readFileSync(redactionKeyFile(home)));
  rmSync(redactionKeyFile(home));
  symlinkSync(elsewhere, redactionKeyFile(home));
  expect(keyedDigest(home)("a secret")).not.toBe(first);
  rmSync(redactionKeyFile(home));
  writeFileSync(redactionKeyFile(home), "short");
  expect(keyedDigest(home)("a secret")).not.toBe(first);
  expect(readFileSync(redactionKeyFile(home), "utf8")).toBe("short");
});
