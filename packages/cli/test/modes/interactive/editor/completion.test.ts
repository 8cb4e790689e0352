/** What is offered at the cursor. */

import { expect, test } from "vitest";
import type { CommandContext } from "../../../../src/commands/command.ts";
import { commands } from "../../../../src/commands/commands.ts";
import {
  createCompletionProvider,
  listArgumentCandidates,
} from "../../../../src/modes/interactive/editor/completion.ts";

const provider = createCompletionProvider({
  listCommands: async () => [
    { value: "/compact", description: "tell it in short" },
    { value: "/context", description: "what fills it" },
    { value: "/autocompact" },
    { value: "/review", description: "mine" },
  ],
  listArguments: async (name) =>
    name === "autocompact" ? [{ value: "on" }, { value: "off" }] : name === "context" ? [{ value: "--none" }] : null,
  findPaths: async (wanted) => [
    { value: `${wanted}found.ts` },
    { value: "with blank.md" },
    { value: "src/" },
    { value: "\x1b[2J" },
  ],
});

async function offered(...lines: string[]): Promise<readonly string[] | null> {
  const options = { signal: new AbortController().signal };
  const found = await provider.getSuggestions(lines, lines.length - 1, lines.at(-1)?.length ?? 0, options);
  return found?.items.map(({ value }) => value) ?? null;
}

test("TYP12 a slash at the beginning completes commands, templates and skills", async () => {
  expect(await offered("/co")).toEqual(["/compact", "/context", "/autocompact"]);
  expect(await offered("/c")).toEqual(["/compact", "/context"]);
  expect(await offered("/REV")).toEqual(["/review"]);
  expect(await offered("/nothing")).toBeNull();
  expect(await offered("/usr/bin")).toBeNull();
  expect(await offered("words", "/co")).toBeNull();
});

test("TYP12 arguments are completed only for commands with a fixed set of values", async () => {
  expect(await offered("/autocompact o")).toEqual(["on", "off"]);
  expect(await offered("/compact o")).toBeNull();
  expect(await offered("/context ")).toBeNull();
  expect(await offered("/context -")).toEqual(["--none"]);
});

test("TYP12 only the literal values of an argument hint are completed, never its placeholders", async () => {
  const values = async (name: string) =>
    (await listArgumentCandidates(name, { context: {} as CommandContext, listModels: async () => [] }))?.map(
      ({ value }) => value,
    ) ?? null;
  expect(await values("name")).toEqual(["--none"]);
  expect(await values("pin")).toBeNull();
  expect(await values("autocompact")).toEqual(["on", "off"]);
  expect(await values("mode")).toEqual(["plan", "ask", "edit", "all"]);
  expect(await values("thinking")).toContain("high");
  for (const { name, argumentHint = "", argumentValues = [] } of commands.filter(({ name }) => name !== "thinking"))
    for (const value of argumentValues) expect(`${name} ${argumentHint}`).toContain(value);
});

test("TYP12 a completely typed argument or path has no completion, so that Enter sends it", async () => {
  expect(await offered("/autocompact on")).toBeNull();
  expect(await offered("/compact")).toContain("/compact");
  const paths = createCompletionProvider({
    listCommands: async () => [],
    listArguments: async () => null,
    findPaths: async () => [{ value: "slug.js" }, { value: "slug.test.js" }],
  });
  const options = { signal: new AbortController().signal };
  expect(await paths.getSuggestions(["see @slug.js"], 0, 12, options)).toBeNull();
  expect((await paths.getSuggestions(["see @slug.j"], 0, 11, options))?.items).toHaveLength(2);
});

test("TYP11 an @ at the beginning of a word completes paths, quoted if they contain spaces, without invisible characters", async () => {
  expect(await offered("see @a")).toEqual(["@afound.ts", '@"with blank.md"', "@src/"]);
  expect(await offered("words", 'and @"wi')).toEqual(["@wifound.ts", '@"with blank.md"', "@src/"]);
  expect(await offered("me@example")).toBeNull();
});

test("TYP11 a completed file is followed by a space, a completed folder is not", () => {
  const apply = (value: string) => provider.applyCompletion(["see @s now"], 0, 6, { value, label: value }, "@s");
  expect(apply("@src/a.ts")).toEqual({ lines: ["see @src/a.ts now"], cursorLine: 0, cursorCol: 13 });
  expect(apply("@src/")).toEqual({ lines: ["see @src/ now"], cursorLine: 0, cursorCol: 9 });
});
