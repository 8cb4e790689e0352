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
    ["of the header", latin("Gr\xfc\xdfe"), "text/plain; charset=ISO-8859-1", "Grüße"],
    ["of the header, in quotes", latin("\xe4"), 'text/plain; charset="windows-1252"', "ä"],
    ["of the header, from far away", Buffer.from("93fa967b", "hex"), "text/plain;charset=Shift_JIS", "日本"],
    ["of a meta element", latin('<meta charset="iso-8859-1"><p>\xfc'), "text/html", "ü"],
    [
      "of an older meta element",
      latin('<meta http-equiv=content-type content="text/html; charset=koi8-r"><p>\xd0'),
      "text/html",
      "п",
    ],
    ["of a declaration", latin('<?xml version="1.0" encoding="iso-8859-1"?><a>\xfc</a>'), "text/xml", /<a>ü<\/a>/],
    [
      "of a byte order mark, whatever the header says",
      Buffer.from("fffe4100fc00", "hex"),
      "text/plain; charset=utf-8",
      "Aü",
    ],
    ["of its bytes: UTF-8", Buffer.from("ü€"), "text/plain", "ü€"],
    ["of its bytes: UTF-8, cut in the middle of a letter", Buffer.from("ü€").subarray(0, 4), "text/plain", "ü\ufffd"],
    ["of its bytes: old", latin("\xfc \x80"), "text/plain", "ü €"],
    ["of its bytes, where the header names one that nobody knows", Buffer.from("ü"), "text/plain; charset=x", "ü"],
  ])("WEB12 is that %s", async (_, bytes, contentType, expected) => {
    expect(await textOf(bytes, contentType)).toMatch(expected);
  });
});

describe("the kind", () => {
  const html = "<!doctype html><p>a <b>b</b>";
  test.each([
    ["HTML as Markdown", html, "text/html; charset=utf-8", "a **b**"],
    ["HTML that says it is XHTML", html, "application/xhtml+xml", "a **b**"],
    ["HTML that nobody named", html, null, "a **b**"],
    ["HTML shown as text, where it is meant so", html, "text/plain", html],
    ["JSON as it is", '{"a": [1]}', "application/json", '{"a": [1]}'],
    ["JSON with another name", "{}", "application/ld+json", "{}"],
    ["Markdown as it is", "# a", "text/markdown", "# a"],
    ["a script", "a()", "application/javascript", "a()"],
    ["a drawing that is text", "<svg/>", "image/svg+xml", "<svg/>"],
    ["text that nobody named", "a\nb", null, "a\nb"],
    ["text that the server does not know", "a", "application/octet-stream", "a"],
    ["a picture", latin("\x89PNG\r\n\x1a\nrest"), "image/png", "[an image of 12 bytes; not shown]"],
    ["a picture that says it is HTML", latin("GIF89a…"), "text/html", /^\[an image of /],
    ["a picture of a kind we do not know", "abc", "image/avif", /^\[an image of /],
    ["a document", "%PDF-1.7", "application/pdf", "[a binary file of 8 bytes; not shown]"],
    ["an archive that says it is text", latin("PK\x03\x04\0\0"), "text/plain", /^\[a binary file of /],
    ["bytes that nobody named", latin("\x7fELF\0\0"), null, /^\[a binary file of /],
    ["nothing", "", "text/plain", ""],
  ])("WEB13 %s", async (_, bytes, contentType, expected) => {
    const text = await textOf(bytes, contentType);
    if (typeof expected === "string") expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });

  test("WEB13 a large binary is named by what was read of it", async () => {
    const { text } = await toReadablePage(page("PK\0", { contentType: "application/zip", isComplete: false }), {
      signal,
    });
    expect(text).toBe("[a binary file of more than 3 bytes; not shown]");
  });
});
