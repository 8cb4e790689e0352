/** Creates temporary folders of real files, and the file tools, the search tools and both search engines in them. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { onTestFinished } from "vitest";
import { nodeFiles } from "../../src/node/files.ts";
import { nodeSearch } from "../../src/node/search/search.ts";
import type { GrepHit, GrepQuery, SearchOptions, SearchResult, WorkspaceSearch } from "../../src/ports.ts";
import type { Tool, ToolOutput } from "../../src/tool.ts";
import { type FileToolOptions, ReadTracker } from "../../src/tools/file-access.ts";
import { fileTools, searchTools } from "../../src/tools/tools.ts";

export type ToolInput = Readonly<Record<string, unknown>>;

export interface TestFolder {
  readonly root: string;
  at(path: string): string;
  /** Each file is a minute older than the one before. */
  put(files: Readonly<Record<string, string | Uint8Array>>): void;
}

function createTestFolder(): TestFolder {
  const root = mkdtempSync(join(tmpdir(), "pith-files-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  let minute = 0;
  const at = (path: string): string => join(root, path);
  return {
    root,
    at,
    put: (files) => {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(at(path)), { recursive: true });
        writeFileSync(at(path), content);
        minute += 1;
        utimesSync(at(path), NOON - minute * 60, NOON - minute * 60);
      }
    },
  };
}

const NOON = 1_700_000_000;

export interface FileToolFixture {
  readonly root: string;
  readonly tools: readonly Tool[];
  readonly reads: ReadTracker;
  put(path: string, content: string | Uint8Array): void;
  text(path: string): string;
  run(name: "read" | "write" | "edit", input: ToolInput, room?: number): Promise<ToolOutput>;
}

export function createFileTools(parts: Omit<FileToolOptions, "files"> = {}): FileToolFixture {
  const { root, at, put } = createTestFolder();
  const reads = new ReadTracker();
  const tools = fileTools({ files: nodeFiles({ root }), ...parts }, reads);
  return {
    root,
    tools,
    reads,
    put: (path, content) => put({ [path]: content }),
    text: (path) => readFileSync(at(path), "utf8"),
    run: (name, input, room = 100_000) => runTool(findTool(tools, name), input, room),
  };
}

export interface SearchToolFixture extends TestFolder {
  readonly tools: readonly Tool[];
  tool(name: string): Tool;
  run(name: "grep" | "find" | "ls", input: ToolInput, room?: number): Promise<ToolOutput>;
  /** What it answers. */
  runForText(name: "grep" | "find" | "ls", input: ToolInput, room?: number): Promise<string>;
}

export function createSearchTools(
  files: Readonly<Record<string, string>> = {},
  search?: Partial<WorkspaceSearch>,
): SearchToolFixture {
  const folder = createTestFolder();
  folder.put(files);
  const { root } = folder;
  const tools = searchTools({
    files: nodeFiles({ root }),
    search: { ...nodeSearch({ root, ripgrep: rgPath }), ...search },
  });
  const run: SearchToolFixture["run"] = (name, input, room = 50_000) => runTool(findTool(tools, name), input, room);
  const runForText: SearchToolFixture["runForText"] = async (...call) => outputText(await run(...call));
  return { ...folder, tools, tool: (name) => findTool(tools, name), run, runForText };
}

function findTool(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}

export function runTool(tool: Tool, input: ToolInput, room: number): Promise<ToolOutput> {
  const { signal } = new AbortController();
  return tool.run({ id: "c1", arguments: input, signal, maxOutputBytes: room, update: () => {} });
}

export function outputText({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : `<${block.mimeType}>`)).join("\n");
}

export interface SearchFolder extends TestFolder {
  search(ripgrep: string | null): WorkspaceSearch;
}

export function createSearchFolder(): SearchFolder {
  const folder = createTestFolder();
  const { root, at } = folder;
  return { ...folder, search: (ripgrep) => nodeSearch({ root, home: at("home"), ripgrep }) };
}

/** By name: where ripgrep is, or null. */
export const engines: readonly (readonly [string, string | null])[] = [
  ["with ripgrep", rgPath],
  ["without it", null],
];

export function searchOptions(maxResults = 1_000): SearchOptions {
  return { signal: new AbortController().signal, maxResults };
}

/** As `path:line:text`, a line around a hit as `path-line-text`. */
export async function grepLines(
  search: WorkspaceSearch,
  query: Partial<GrepQuery>,
  maxResults?: number,
): Promise<readonly string[]> {
  return formatHits(await search.grep({ pattern: "needle", path: ".", ...query }, searchOptions(maxResults)));
}

export function formatHits(found: SearchResult<GrepHit>): readonly string[] {
  if (found.type !== "found") return [`${found.type}: ${found.message}`];
  const all = found.items.map(({ path, line, text, isContext }) => [path, line, text].join(isContext ? "-" : ":"));
  return found.isComplete ? all : [...all, "more"];
}

export async function findNames(search: WorkspaceSearch, glob: string, folder = "."): Promise<readonly string[]> {
  const found = await search.find({ folder, glob }, searchOptions());
  return found.type === "found" ? found.items : [`${found.type}: ${found.message}`];
}

/** Runs without root's rights, which ignore file permissions. */
export async function runWithoutRoot<Outcome>(run: () => Promise<Outcome>): Promise<Outcome> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

const NOBODY = 65_534;
