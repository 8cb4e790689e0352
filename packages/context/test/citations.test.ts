/** Tests citations.ts: references to entries and blobs, and citations. */

import { describe, expect, test } from "vitest";
import {
  blobReference,
  findBlobDigits,
  findCitations,
  findCitedReferences,
  formatCitation,
  removeCitations,
  replaceBlobDigits,
  replaceCitations,
} from "../src/citations.ts";
import { entryReference } from "../src/entry.ts";
import { expectLinearTime } from "./support/expect-speed.ts";

describe("references to entries and blobs", () => {
  test("NUM2 AUD2 an entry is referenced by its number, and one without a number by its id", () => {
    expect(entryReference({ id: "4f2a", number: 12 })).toBe("#12");
    expect(entryReference({ id: "4f2a" })).toBe("entry:4f2a");
  });

  test("AUD2 a blob is referenced by the first eight digits of its hash", () => {
    expect(blobReference("1a2b3c4d5e6f708192a3b4c5d6e7f809")).toBe("blob:1a2b3c4d");
  });

  test("AUD2 a citation is written with a space before it, and none is written for no entries", () => {
    expect(formatCitation(["#12", "entry:4f2a"])).toBe(" [#12, entry:4f2a]");
    expect(formatCitation([])).toBe("");
  });

  test("AUD2 a formatted citation is parsed as the same citation", () => {
    const references = ["#1", "entry:4f2a", "#987654321", "entry:old-1", "entry:a.b"];
    expect(findCitedReferences(`a line${formatCitation(references)}`)).toEqual(references);
  });
});

describe("citations", () => {
  test.each<[string, readonly string[]]>([
    ["[#12]", ["#12"]],
    ["【#12】", ["#12"]],
    ["[entry #12]", ["#12"]],
    ["[Entry #12]", ["#12"]],
    ["[ #12 ]", ["#12"]],
    ["[#007]", ["#7"]],
    ["(entry:4f2a)", ["entry:4f2a"]],
    ["[entry:4f2a]", ["entry:4f2a"]],
    ["(entry: 4f2a)", ["entry:4f2a"]],
    ["(Entry:4f2a)", ["entry:4f2a"]],
    ["(entry:4f2a.)", ["entry:4f2a"]],
    ["(entry:old-1)", ["entry:old-1"]],
    ["(entry:E1)", ["entry:E1"]],
  ])("AUD2 %s is a citation of one entry", (text, references) => {
    expect(findCitations(text)).toEqual([{ start: 0, end: text.length, references }]);
  });

  test.each<[string, readonly string[]]>([
    ["[#12, #15]", ["#12", "#15"]],
    ["[#12,#15]", ["#12", "#15"]],
    ["[#12; #15]", ["#12", "#15"]],
    ["[#12 & #15]", ["#12", "#15"]],
    ["[#12, 15]", ["#12", "#15"]],
    ["[#12, #12, #15]", ["#12", "#15"]],
    ["(entry:4f2a, entry:77b0)", ["entry:4f2a", "entry:77b0"]],
    ["(entry:4f2a, #3)", ["entry:4f2a", "#3"]],
  ])("AUD2 %s is a citation of several entries", (text, references) => {
    expect(findCitedReferences(text)).toEqual(references);
  });

  test.each<[string, readonly string[]]>([
    ["[#12–#15]", ["#12", "#15"]],
    ["[#12-#15]", ["#12", "#15"]],
    ["[#12—15]", ["#12", "#15"]],
    ["[#12 - #15]", ["#12", "#15"]],
    ["[entry #12 – entry #14]", ["#12", "#14"]],
    ["[#3, #12–#14, #20]", ["#3", "#12", "#14", "#20"]],
    ["[#12–#13]", ["#12", "#13"]],
    ["[#15–#12]", ["#15", "#12"]],
    ["[entry:4f2a, #12–#14]", ["entry:4f2a", "#12", "#14"]],
  ])("AUD2 %s is a citation of the ends of a range", (text, references) => {
    expect(findCitedReferences(text)).toEqual(references);
  });

  test("AUD2 a long unfinished list of ids is parsed in linear time", () => {
    const text = (count: number): string => `(entry:a${"-entry:a".repeat(count)} [entry:a${"&entry:a".repeat(count)} x`;
    expect(findCitations(text(2_000))).toEqual([]);
    expectLinearTime(
      () => findCitations(text(500)),
      () => findCitations(text(2_000)),
    );
  });

  test.each([
    "issue #12 is open",
    "#12",
    "see entry:4f2a",
    "[12]",
    "error[E0382]: borrow",
    "[e12]",
    "issue (#12) is open",
    "`[#12]` in code",
    "[x]",
    "[ ]",
    "[see #12]",
    "[#12 is open]",
    "[#a]",
    "[#12",
    "#12]",
    "list[0]",
    "(entry:)",
    "[link](#12-title)",
    "color: (#12ab34)",
    "[#1234567890]",
  ])("AUD2 %j has no citation", (text) => {
    expect(findCitations(text)).toEqual([]);
  });

  test("AUD2 the space before a citation is part of it", () => {
    expect(findCitations("done [#3] and [#4]")).toEqual([
      { start: 4, end: 9, references: ["#3"] },
      { start: 13, end: 18, references: ["#4"] },
    ]);
  });

  test("AUD2 cited references are unique and in the order of the text", () => {
    expect(findCitedReferences("one [#3][#4] two (entry:a, #3) (#5)")).toEqual(["#3", "#4", "entry:a"]);
    expect(findCitedReferences("")).toEqual([]);
  });

  test("AUD2 citations are replaced one by one, and removed without a replacement", () => {
    const text = "one [#3], two [#4, #5] and #6";
    expect(removeCitations(text)).toBe("one, two and #6");
    expect(replaceCitations(text, ({ references }) => ` <${references.join("+")}>`)).toBe(
      "one <#3>, two <#4+#5> and #6",
    );
  });
});

describe("blobs", () => {
  const hash = "1a2b3c4d".padEnd(64, "5");

  test("PUR3 blob references of any valid length are found", () => {
    expect([blobReference(hash), blobReference(hash, 10)]).toEqual(["blob:1a2b3c4d", "blob:1a2b3c4d55"]);
    const text = `read blob:1a2b3c4d, blob:${hash} or (blob:1a2b3c4d55); not blob:123, xblob:1a2b3c4d or blob:${hash}5`;
    expect(findBlobDigits(text)).toEqual(["1a2b3c4d", hash, "1a2b3c4d55"]);
    expect(replaceBlobDigits("blob:1a2b3c4d blob:ffffffff", (digits) => (digits[0] === "1" ? "00" : undefined))).toBe(
      "blob:00 blob:ffffffff",
    );
  });
});
