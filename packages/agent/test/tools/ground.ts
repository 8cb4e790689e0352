/** The file tools in a temporary folder of real files. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { nodeFiles } from "../../src/node/files.ts";
import type { Tool, ToolOutput } from "../../src/tool.ts";
import { type FileToolOptions, ReadTracker } from "../../src/tools/file-access.ts";
import { fileTools } from "../../src/tools/tools.ts";

export interface FileToolFixture {
  readonly root: string;
  readonly tools: readonly Tool[];
  readonly reads: ReadTracker;
  put(path: string, content: string | Uint8Array): void;
  text(path: string): string;
  run(name: "read" | "write" | "edit", input: Readonly<Record<string, unknown>>, room?: number): Promise<ToolOutput>;
}

export function createFileTools(parts: Omit<FileToolOptions, "files"> = {}): FileToolFixture {
  const root = mkdtempSync(join(tmpdir(), "pith-files-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const reads = new ReadTracker();
  const tools = fileTools({ files: nodeFiles({ root }), ...parts }, reads);
  return {
    root,
    tools,
    reads,
    put: (path, content) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    text: (path) => readFileSync(join(root, path), "utf8"),
    run: (name, input, room = 100_000) => {
      const tool = tools.find((one) => one.name === name);
      if (!tool) throw new Error(`there is no tool ${name}`);
      return tool.run({
        id: "c1",
        arguments: input,
        signal: new AbortController().signal,
        maxOutputBytes: room,
        update: () => {},
      });
    },
  };
}

export function wordsOf({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : `<${block.mimeType}>`)).join("\n");
}
