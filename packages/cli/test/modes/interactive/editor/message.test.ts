/** Tests modes/interactive/editor/message.ts: mentions, images. */

import { describe, expect, test } from "vitest";
import { noisyPng } from "../../../../../agent/test/support/pictures.ts";
import { findMentions, ImageAttachments, parseImagePaths } from "../../../../src/modes/interactive/editor/message.ts";

describe("mentions", () => {
  test.each([
    ["look at @src/a.ts and @b.md", ["src/a.ts", "b.md"]],
    ['@"with blanks.md" twice @"with blanks.md"', ["with blanks.md"]],
    ["mail me@example.org", []],
    ["(@a.ts)", ["a.ts)"]],
    ["two\n@lines", ["lines"]],
    ["@", []],
  ])("TYP10 an @ at the beginning of a word names a file: %s", (words, paths) => {
    expect(findMentions(words)).toEqual(paths);
  });
});

describe("images", () => {
  const png = (bytes: number): Uint8Array => {
    const picture = new Uint8Array(bytes);
    picture.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    return picture;
  };

  test("TYP13 an image has a marker in the text, and is sent if the marker is still there", async () => {
    const pictures = new ImageAttachments();
    expect(await pictures.addBytes(png(340 * 1024))).toEqual({ type: "added", marker: "[image 1: 340 KB PNG]" });
    expect(await pictures.addBytes(png(2_000_000))).toEqual({ type: "added", marker: "[image 2: 1.9 MB PNG]" });
    const sent = pictures.findIn("first [image 2: 1.9 MB PNG], then [image 1: 340 KB PNG]");
    expect(sent.map(({ marker }) => marker)).toEqual(["[image 2: 1.9 MB PNG]", "[image 1: 340 KB PNG]"]);
    expect(pictures.findIn("[image 3: 1.9 MB PNG]")).toEqual([]);
  });

  test("FILE32 a pasted image that is too large is shrunk", async () => {
    const pictures = new ImageAttachments();
    const added = await pictures.addBytes(noisyPng(2_400, 800));
    expect(added).toMatchObject({ type: "added", marker: expect.stringMatching(/^\[image 1: .* JPEG\]$/) });
  });

  test("TYP13 an image that is too large and data that is no image are refused with the reason", async () => {
    const pictures = new ImageAttachments();
    expect(await pictures.addBytes(png(4_000_000))).toMatchObject({
      type: "refused",
      reason: expect.stringMatching(/the limit is 3\.8 MB, and it could not be shrunk/),
    });
    expect(await pictures.addBytes(Buffer.from("words"))).toMatchObject({
      type: "refused",
      reason: /not a supported image/,
    });
  });

  test("TYP13 the oldest images are dropped once all of them exceed the limit", async () => {
    const pictures = new ImageAttachments();
    const markers: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const added = await pictures.addBytes(png(3_500_000));
      markers.push(added.type === "added" ? added.marker : "");
    }
    expect(pictures.findIn(markers.join(" ")).map(({ marker }) => marker)).toEqual(markers.slice(-9));
  });

  test.each([
    ["/tmp/a.png", ["/tmp/a.png"]],
    [" '/tmp/my pictures/a.JPG' ", ["/tmp/my pictures/a.JPG"]],
    ["/tmp/my\\ pictures/a.webp", ["/tmp/my pictures/a.webp"]],
    ["/tmp/my pictures/a.webp", ["/tmp/my pictures/a.webp"]],
    ["file:///tmp/my%20pictures/a.gif", ["/tmp/my pictures/a.gif"]],
    ["/tmp/a.png '/tmp/my b.png' /tmp/my\\ c.png", ["/tmp/a.png", "/tmp/my b.png", "/tmp/my c.png"]],
    ["file:///tmp/a.png\nfile:///tmp/b.png\n", ["/tmp/a.png", "/tmp/b.png"]],
    ["look at /tmp/a.png", []],
    ["/tmp/a.txt /tmp/b.png\nand more.png", []],
    ["/tmp/a.txt", []],
    ["", []],
  ])("TYP13 image paths are parsed from dropped files as terminals paste them: %j", (pasted, paths) => {
    expect(parseImagePaths(pasted)).toEqual(paths);
  });
});
