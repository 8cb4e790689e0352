/** Tests the tool grep. */

import { expect, test } from "vitest";
import { createSearchTools } from "../../support/file-tools.ts";

const files = { "src/a.ts": "one\nneedle two\nthree\n", "src/in/b.js": "NEEDLE (x)\n", "docs/c.md": "no\n" };

test("SEEK14 a hit is shown with a path that the next call can use", async () => {
  const { runForText, root } = createSearchTools({ ...files, "same/same": "needle\n" });
  expect(await runForText("grep", { pattern: "needle" })).toBe("same/same:1: needle\nsrc/a.ts:2: needle two");
  expect(await runForText("grep", { pattern: "needle", path: "src/" })).toBe("src/a.ts:2: needle two");
  expect(await runForText("grep", { pattern: "needle", path: "./src/a.ts" })).toBe("./src/a.ts:2: needle two");
  expect(await runForText("grep", { pattern: "needle", path: `${root}/src` })).toBe(`${root}/src/a.ts:2: needle two`);
  expect(await runForText("grep", { pattern: "needle", path: "same" })).toBe("same/same:1: needle");
});

test("SEEK14 lines around a hit are marked with - instead of :", async () => {
  const { runForText } = createSearchTools(files);
  expect(await runForText("grep", { pattern: "needle", context: "1" })).toBe(
    "src/a.ts-1- one\nsrc/a.ts:2: needle two\nsrc/a.ts-3- three",
  );
});

test("SEEK10 flags and numbers as strings, and empty arguments, are accepted", async () => {
  const { runForText } = createSearchTools(files);
  expect(
    await runForText("grep", {
      pattern: "needle",
      ignoreCase: "true",
      glob: "",
      path: "",
      limit: null,
      literal: "false",
    }),
  ).toBe("src/a.ts:2: needle two\nsrc/in/b.js:1: NEEDLE (x)");
  expect(await runForText("grep", { pattern: "(x)", literal: true, glob: "*.js" })).toBe("src/in/b.js:1: NEEDLE (x)");
});

test.each([
  [{}, "pattern is missing"],
  [{ pattern: "a\nb" }, "pattern must be a single line, because lines and names are matched one at a time"],
  [{ pattern: "a", limit: "many" }, 'limit must be a whole number of at least 1, not "many"'],
  [{ pattern: "a", literal: 3 }, "literal must be true or false, not 3"],
  [{ pattern: "a", path: "srd" }, "srd does not exist; the folder contains src/"],
  [
    { pattern: "a(" },
    "pattern is not a valid regular expression: unclosed group; to search for plain text, set literal",
  ],
])("SEEK10 %o is refused with a message about the wrong argument", async (input, message) => {
  const { run } = createSearchTools(files);
  expect(await run("grep", input)).toEqual({ content: [{ type: "text", text: message }], isError: true });
});

test("SEEK10 a search without hits is not an error", async () => {
  const { run } = createSearchTools(files);
  const text =
    "[no matches; ignored files are skipped unless path names them; binary files and files that you may not read are always skipped]";
  expect(await run("grep", { pattern: "nowhere" })).toEqual({
    content: [{ type: "text", text }],
    details: { pith: { found: 0, isAll: true } },
  });
});

test("SEEK5 a line of 500 characters is shown whole, and a longer one is cut", async () => {
  const found = [400, 500, 501].map((length, at) => ({
    path: "x",
    line: at + 1,
    text: "y".repeat(length),
    isContext: false,
  }));
  const { runForText } = createSearchTools(
    {},
    { grep: async () => ({ type: "found", items: found, isComplete: true }) },
  );
  const lines = (await runForText("grep", { pattern: "y" })).split("\n").map((line) => line.replace(/^x:\d: /, ""));
  expect(lines).toEqual(["y".repeat(400), "y".repeat(500), `${"y".repeat(494)}[…]`]);
});
