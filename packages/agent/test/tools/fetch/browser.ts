/** The fetch tool with a scripted web. */

import type { WebPage, WebResult } from "../../../src/ports.ts";
import type { Tool, ToolOutput } from "../../../src/tool.ts";
import { fetchTool } from "../../../src/tools/fetch/fetch.ts";

export interface Browser {
  readonly tool: Tool;
  /** URLs that were opened, in order. */
  readonly opened: readonly string[];
  fetch(input: Readonly<Record<string, unknown>>, room?: number): Promise<ToolOutput>;
}

export function newBrowser(answer: (url: string) => WebResult): Browser {
  const opened: string[] = [];
  const tool = fetchTool({
    open: async (url) => {
      opened.push(url);
      return answer(url);
    },
  });
  return { tool, opened, fetch: (input, room = 50_000) => run(tool, input, room) };
}

export function run(tool: Tool, input: Readonly<Record<string, unknown>>, room: number): Promise<ToolOutput> {
  return tool.run({
    id: "c1",
    arguments: input,
    signal: new AbortController().signal,
    maxOutputBytes: room,
    update: () => {},
  });
}

export function page(body: string | Uint8Array, rest: Partial<WebPage> = {}): WebPage {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const defaultPage = { url: "https://example.com/", status: 200, contentType: "text/html", isComplete: true };
  return { type: "page", bytes, ...defaultPage, ...rest };
}

export function wordsOf({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : `<${block.mimeType}>`)).join("\n");
}

/** What stands inside the frame, without its head. */
export function bodyOf(output: ToolOutput): string {
  return /<web-page url="[^"]*">\n(?:[a-z]+: .*\n)*\n([\s\S]*)\n<\/web-page>/.exec(wordsOf(output))?.[1] ?? "";
}
