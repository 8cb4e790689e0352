/** Every directory has a folder name of its own, and one can read it. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { folderName } from "../../../src/node/sessions/folder-name.ts";

test("a folder name shows the path and ends in ten digits of its hash", () => {
  expect(folderName("/home/me/my project")).toMatch(/^home-me-my-project-[0-9a-f]{10}$/);
  expect(folderName("/home/me/プロジェクト")).toMatch(/^home-me-プロジェクト-[0-9a-f]{10}$/);
  expect(folderName("/")).toMatch(/^[0-9a-f]{10}$/);
  expect(folderName("/a/.hidden/..x")).toMatch(/^a-.hidden-..x-[0-9a-f]{10}$/);
  expect(folderName("/home/me/../me/x/")).toBe(folderName("/home/me/x"));
});

test("of a long path the end is shown, and the name fits on every disk", () => {
  const name = folderName(`/start/${"x".repeat(300)}/end`);
  expect(name).toMatch(/^x{76}-end-[0-9a-f]{10}$/);
  expect(Buffer.byteLength(folderName(`/${"漢".repeat(300)}`))).toBeLessThan(255);
});

test("paths that look alike do not share a folder", () => {
  const alike = ["/a/b", "/a-b", "/a:b", "/a\\b", "/a/b.", "/A/b", "/a b", "/a\tb", "/a/\u00e9", "/a/e\u0301"];
  expect(new Set(alike.map(folderName)).size).toBe(alike.length);
});

test("whatever the path, the name is one safe step", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 120 }), (path) => {
      const name = folderName(`/${path.replaceAll("\0", "")}`);
      expect(name).not.toMatch(/[/\\:*?"<>|\p{Cc}]|^\.|^-|[. ]$/u);
      expect(Buffer.byteLength(name)).toBeLessThan(255);
    }),
    { numRuns: 100 },
  );
});
