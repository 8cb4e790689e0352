/** Tests resources/attachments.ts and read-stdin.ts: message content, piped input. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { MAX_IMAGE_BYTES, MAX_IMAGE_SOURCE_BYTES } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { noisyPng } from "../../../agent/test/support/pictures.ts";
import type { CliArgs, SessionTarget } from "../../src/args/args.ts";
import { buildPromptContent, MAX_TEXT_BYTES, type PromptContent } from "../../src/resources/attachments.ts";
import { MAX_STDIN_BYTES, readAllText } from "../../src/resources/read-stdin.ts";
import { entryDisplayText, toEntryLine } from "../../src/sessions/entries.ts";
import { toOutlineEntry } from "../../src/sessions/tree-outline.ts";

describe("message content", () => {
  const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pith-said-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test("TXT2 WORD5 a prompt alone and piped input alone are sent unchanged", async () => {
    expect(await buildPrompt({ words: "hi" })).toEqual({ type: "content", content: "hi" });
    expect(await buildPrompt({ words: "" }, "what\nto do\n")).toEqual({ type: "content", content: "what\nto do" });
  });

  test("TXT2 WORD1 WORD5 attached files come before the prompt, each with its path, and piped input between them", async () => {
    writeFileSync(join(folder, "a.ts"), "one\r\ntwo");
    writeFileSync(join(folder, "b c.md"), "three\n");
    expect(await buildPrompt({ words: "Explain.", files: ["a.ts", "b c.md"] }, "a diff\n")).toEqual({
      type: "content",
      content: [
        marked("file", "a.ts", '<file path="a.ts">\none\r\ntwo\n</file>'),
        marked("file", "b c.md", '<file path="b c.md">\nthree\n</file>'),
        marked("stdin", "stdin", "<stdin>\na diff\n</stdin>"),
        { type: "text", text: "Explain." },
      ],
    });
  });

  test("TXT2 an image is recognized by its first bytes, whatever its name", async () => {
    writeFileSync(join(folder, "shot.txt"), PNG);
    expect(await buildPrompt({ words: "What is it?", files: ["shot.txt"] })).toEqual({
      type: "content",
      content: [
        marked("image", "shot.txt", "The picture shot.txt:"),
        {
          type: "image",
          data: PNG.toString("base64"),
          mimeType: "image/png",
          pith: { attachment: { kind: "image", name: "shot.txt" } },
        },
        { type: "text", text: "What is it?" },
      ],
    });
  });

  test("TXT3 a missing file, a folder and a binary file are mistakes that say what to do", async () => {
    writeFileSync(join(folder, "parse.ts"), "");
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/main.ts"), "");
    writeFileSync(join(folder, "tool.bin"), Buffer.from([1, 0, 2, 0, 3]));
    const messages = ["parser.ts", "src", "tool.bin"].map((path) =>
      buildPrompt({ words: "x", files: [path] }).then(mistakeOf),
    );
    expect(await Promise.all(messages)).toEqual([
      "@parser.ts: parser.ts does not exist; the folder contains parse.ts. @ attaches a file; put text that starts with @ after --",
      "@src: src is a folder; it contains main.ts. Specify a file in it, or write the folder without the @",
      "@tool.bin is neither text nor an image (png, jpeg, gif, webp)",
    ]);
  });

  test("TXT3 a file that is too large is refused with a way around it", async () => {
    writeFileSync(join(folder, "fits.txt"), "x".repeat(MAX_TEXT_BYTES));
    writeFileSync(join(folder, "long.txt"), "x".repeat(MAX_TEXT_BYTES + 1));
    writeFileSync(join(folder, "fits.png"), Buffer.concat([PNG], MAX_IMAGE_BYTES));
    writeFileSync(join(folder, "long.png"), Buffer.concat([PNG], MAX_IMAGE_SOURCE_BYTES + 1));
    writeFileSync(join(folder, "damaged.png"), Buffer.concat([PNG], MAX_IMAGE_BYTES + 1));
    expect(await buildPrompt({ words: "x", files: ["fits.txt", "fits.png"] })).toMatchObject({ type: "content" });
    const advice = "cannot be attached; write its path without the @ and let the model read it";
    expect(mistakeOf(await buildPrompt({ words: "x", files: ["long.txt"] }))).toBe(
      `@long.txt is larger than 256 KB and ${advice}`,
    );
    expect(mistakeOf(await buildPrompt({ words: "x", files: ["long.png"] }))).toBe(
      `@long.png is larger than 32 MB and ${advice}`,
    );
    expect(mistakeOf(await buildPrompt({ words: "x", files: ["damaged.png"] }))).toMatch(
      /^@damaged\.png cannot be attached: the limit is 3\.8 MB, and it could not be shrunk: /,
    );
    expect(mistakeOf(await buildPrompt({ words: "x" }, "x".repeat(MAX_STDIN_BYTES + 1)))).toContain(
      "the piped input is larger than 256 KB",
    );
    expect(mistakeOf(await buildPrompt({ words: "x" }, "a\0b"))).toBe("the piped input is not text");
  });

  test("FILE32 an attached image that is too large for the provider is shrunk, with the sizes in its caption", async () => {
    writeFileSync(join(folder, "large.png"), noisyPng(2_400, 800));
    const content = await buildPrompt({ words: "what is it?", files: ["large.png"] });
    if (content.type !== "content" || typeof content.content === "string") throw new Error("nothing is attached");
    const image = content.content.find((block) => block.type === "image");
    expect(Buffer.from(image?.data ?? "", "base64").length).toBeLessThanOrEqual(MAX_IMAGE_BYTES);
    expect(JSON.stringify(content.content.filter((block) => block.type === "text"))).toMatch(
      /large\.png; shrunk from 2400×800 to \d+×\d+ pixels, image\/jpeg, [\d.]+ [KM]B/,
    );
  });

  test("PRT7 an empty prompt is allowed with a named session, and is a mistake without one", async () => {
    expect(await buildPrompt({ words: "", session: { type: "last" } })).toEqual({ type: "nothing" });
    expect(await buildPrompt({ words: "", session: { type: "named", name: "0198" } }, " \n")).toEqual({
      type: "nothing",
    });
    expect(mistakeOf(await buildPrompt({ words: "" }))).toBe('the prompt is missing; run: pith -p "what to do"');
  });

  function marked(kind: string, name: string, text: string) {
    return { type: "text", text, pith: { attachment: { kind, name } } };
  }

  interface PromptParts {
    readonly words: string;
    readonly files?: readonly string[];
    readonly session?: SessionTarget;
  }

  function buildPrompt(
    { words, files = [], session = { type: "new" } }: PromptParts,
    input = "",
  ): Promise<PromptContent> {
    const args: CliArgs = {
      prompt: words,
      files,
      session,
      overrides: {},
      allow: [],
      deny: [],
      systemPrompt: undefined,
      appendSystemPrompt: undefined,
      trustsProject: false,
      mode: "text",
    };
    return buildPromptContent(args, {
      files: nodeFiles({ root: folder, maxBytes: MAX_IMAGE_SOURCE_BYTES }),
      readStdin: () => readAllText(Readable.from([Buffer.from(input)])),
    });
  }

  function mistakeOf(outcome: PromptContent): string {
    return outcome.type === "mistake" ? outcome.message : `no mistake: ${JSON.stringify(outcome).slice(0, 200)}`;
  }
});

describe("displayed text", () => {
  test("TYP10 lists, trees and forks show a message without its attached files", () => {
    const content = [
      { type: "text", text: '<file path="slug.js">\nexport const slug = 1;\n</file>' },
      { type: "text", text: "what does @slug.js do?" },
    ] as const;
    const entry = {
      ...({ type: "message", id: "e1", parentId: null, timestamp: "" } as const),
      message: { role: "user", content, timestamp: 0 },
    } as const;
    expect(entryDisplayText(entry)).toBe("what does @slug.js do?");
    expect(toEntryLine(entry).text).toBe("what does @slug.js do?");
    expect(toOutlineEntry(entry).text).toBe("what does @slug.js do?");
  });
});
