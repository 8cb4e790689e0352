/** The search tools in a temporary folder of real files. */

import { rgPath } from "@vscode/ripgrep";
import { nodeFiles } from "../../../src/node/files.ts";
import { nodeSearch } from "../../../src/node/search/search.ts";
import type { WorkspaceSearch } from "../../../src/ports.ts";
import type { Tool, ToolOutput } from "../../../src/tool.ts";
import { searchTools } from "../../../src/tools/tools.ts";
import { type SearchFolder as Folder, createSearchFolder as newFolder } from "../../node/search/ground.ts";

export type ToolInput = Readonly<Record<string, unknown>>;

export interface SearchToolFixture extends Omit<Folder, "search"> {
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
  const folder = newFolder();
  folder.put(files);
  const { root } = folder;
  const tools = searchTools({
    files: nodeFiles({ root }),
    search: { ...nodeSearch({ root, ripgrep: rgPath }), ...search },
  });
  const tool = (name: string): Tool => {
    const one = tools.find((each) => each.name === name);
    if (!one) throw new Error(`there is no tool ${name}`);
    return one;
  };
  const run: SearchToolFixture["run"] = (name, input, room = 50_000) => {
    const { signal } = new AbortController();
    return tool(name).run({ id: "c1", arguments: input, signal, maxOutputBytes: room, update: () => {} });
  };
  const runForText: SearchToolFixture["runForText"] = async (name, input, room) =>
    wordsOf(await run(name, input, room));
  return { ...folder, tools, tool, run, runForText };
}

function wordsOf({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : `<${block.mimeType}>`)).join("\n");
}
