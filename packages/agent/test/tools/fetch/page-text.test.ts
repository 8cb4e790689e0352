/** Tests readable text for pages of every kind and charset. */

import { describe, expect, test } from "vitest";
import { toReadablePage } from "../../../src/tools/fetch/page-text.ts";
import { page } from "./browser.ts";

const signal = new AbortController().signal;
const latin = (text: string): Buffer => Buffer.from(text, "latin1");

async function textOf(bytes: string | Uint8Array, contentType: string | null): Promise<string> {
  return (await toReadablePage(page(bytes, { contentType }), { signal })).text;
}

describe("the charset", () => {
  test.each([
    ["the header", latin("Gr\xfc\xdfe"), "text/plain; charset=ISO-8859-1", "Grüße"],
    ["the header, in quotes", latin("\xe4"), 'text/plain; charset="windows-1252"', "ä"],
    ["the header, for Japanese", Buffer.from("93fa967b", "hex"), "text/plain;charset=Shift_JIS", "日本"],
    ["a meta element", latin('<meta charset="iso-8859-1"><p>\xfc'), "text/html", "ü"],
    [
      "a http-equiv meta element",
      latin('<meta http-equiv=content-type content="text/html; charset=koi8-r"><p>\xd0'),
      "text/html",
      "п",
    ],
    ["an XML declaration", latin('<?xml version="1.0" encoding="iso-8859-1"?><a>\xfc</a>'), "text/xml", /<a>ü<\/a>/],
    ["a byte order mark rather than the header", Buffer.from("fffe4100fc00", "hex"), "text/plain; charset=utf-8", "Aü"],
    ["the bytes: UTF-8", Buffer.from("ü€"), "text/plain", "ü€"],
    ["the bytes: UTF-8, cut inside a character", Buffer.from("ü€").subarray(0, 4), "text/plain", "ü\ufffd"],
    ["the bytes: windows-1252", latin("\xfc \x80"), "text/plain", "ü €"],
    ["the bytes if the header names an unknown charset", Buffer.from("ü"), "text/plain; charset=x", "ü"],
  ])("WEB12 is taken from %s", async (_, bytes, contentType, expected) => {
    expect(await textOf(bytes, contentType)).toMatch(expected);
  });
});

describe("a page", () => {
  const html = "<!doctype html><p>a <b>b</b>";
  test.each([
    ["HTML as Markdown", html, "text/html; charset=utf-8", "a **b**"],
    ["HTML with the type of XHTML", html, "application/xhtml+xml", "a **b**"],
    ["HTML without a type", html, null, "a **b**"],
    ["HTML as it is with the type of plain text", html, "text/plain", html],
    ["JSON as it is", '{"a": [1]}', "application/json", '{"a": [1]}'],
    ["JSON with the type ld+json", "{}", "application/ld+json", "{}"],
    ["Markdown as it is", "# a", "text/markdown", "# a"],
    ["a script", "a()", "application/javascript", "a()"],
    ["a drawing that is text", "<svg/>", "image/svg+xml", "<svg/>"],
    ["text without a type", "a\nb", null, "a\nb"],
    ["text with the type octet-stream", "a", "application/octet-stream", "a"],
    ["a picture", latin("\x89PNG\r\n\x1a\nrest"), "image/png", "[an image of 12 bytes; not shown]"],
    ["a picture with the type of HTML", latin("GIF89a…"), "text/html", /^\[an image of /],
    ["a picture of an unknown kind", "abc", "image/avif", /^\[an image of /],
    ["a document", "%PDF-1.7", "application/pdf", "[a binary file of 8 bytes; not shown]"],
    ["an archive with the type of text", latin("PK\x03\x04\0\0"), "text/plain", /^\[a binary file of /],
    ["bytes without a type", latin("\x7fELF\0\0"), null, /^\[a binary file of /],
    ["an empty page", "", "text/plain", ""],
  ])("WEB13 is shown as text or named by its kind: %s", async (_, bytes, contentType, expected) => {
    const text = await textOf(bytes, contentType);
    if (typeof expected === "string") expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });

  test("WEB13 that is a large binary is named with the size that was loaded", async () => {
    const { text } = await toReadablePage(page("PK\0", { contentType: "application/zip", isComplete: false }), {
      signal,
    });
    expect(text).toBe("[a binary file of more than 3 bytes; not shown]");
  });
});
