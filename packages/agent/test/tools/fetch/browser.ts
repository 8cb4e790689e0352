/** Creates the fetch tool with a scripted web, and reads its results. */

import type { WebPage, WebResult } from "../../../src/ports.ts";
import type { Tool, ToolOutput } from "../../../src/tool.ts";
import { fetchTool } from "../../../src/tools/fetch/fetch.ts";
import { outputText, runTool, type ToolInput } from "../../support/file-tools.ts";

export interface Browser {
  readonly tool: Tool;
  /** URLs that were opened, in order. */
  readonly opened: readonly string[];
  fetch(input: ToolInput, room?: number): Promise<ToolOutput>;
}

export function newBrowser(answer: (url: string) => WebResult): Browser {
  const opened: string[] = [];
  const tool = fetchTool({
    open: async (url) => {
      opened.push(url);
      return answer(url);
    },
  });
  return { tool, opened, fetch: (input, room = 50_000) => runTool(tool, input, room) };
}

export function page(body: string | Uint8Array, rest: Partial<WebPage> = {}): WebPage {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const defaultPage = { url: "https://example.com/", status: 200, contentType: "text/html", isComplete: true };
  return { type: "page", bytes, ...defaultPage, ...rest };
}

/** What stands inside the frame, without its head. */
export function bodyOf(output: ToolOutput): string {
  return /<web-page url="[^"]*">\n(?:[a-z]+: .*\n)*\n([\s\S]*)\n<\/web-page>/.exec(outputText(output))?.[1] ?? "";
}
