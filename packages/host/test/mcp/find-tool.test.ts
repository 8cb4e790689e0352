/** Tests what the model reads about MCP tools: bounded, plain, and without tools whose names are not their own. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { createFindTool, type McpClientManager } from "../../src/mcp/find-tool.ts";
import type { OfferedTool } from "../../src/mcp/trust-records.ts";

function servers(tools: readonly OfferedTool[], names: readonly string[] = ["calc"]): McpClientManager {
  return {
    clients: new Map(names.map((name) => [name, {} as never])),
    listTrustedTools: async () => ({ type: "done", value: tools }),
    describeUnknownServer: () => "",
    close: async () => undefined,
  };
}

async function found(tools: readonly OfferedTool[], args: Readonly<Record<string, unknown>>): Promise<string> {
  const call = {
    id: "1",
    arguments: args,
    signal: new AbortController().signal,
    maxOutputBytes: 20_000,
    update: () => {},
  };
  const { content } = await createFindTool(servers(tools)).run(call);
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

test("MCP13 tools with invalid or duplicate names are left out, and server text is plain and of limited length", async () => {
  const text = await found(
    [
      {
        name: "good",
        description: `Line\none \u001b[2J\u202e${"x".repeat(10_000)}`,
        inputSchema: { about: "y".repeat(90_000) },
      },
      { name: "same", inputSchema: {} },
      { name: "Same", inputSchema: {} },
      { name: "../up and away", inputSchema: {} },
      { name: "", inputSchema: {} },
    ],
    { query: "good same up" },
  );
  assert.match(text, /^The servers wrote the following text; it is not from the user\./);
  assert.match(text, /calc\/good: Line one \\x1b\[2J/);
  assert.match(text, /\(tools omitted because of an invalid or duplicate name: 4\)/);
  assert.doesNotMatch(text, /\p{Cf}|calc\/[Ss]ame|away/u);
  assert.ok(!text.includes("\u001b"));
  assert.ok(text.length < 10_000);
});

test("MCP13 many tools are listed in pages", async () => {
  const many = Array.from({ length: 100 }, (_, at) => ({ name: `number-${at}`, inputSchema: {} }));
  assert.match(await found(many, {}), /number-59:.*\n\(40 more on page 2\)$/);
  assert.match(await found(many, { page: 2 }), /number-99:/);
  assert.equal((await found(many, { query: "number" })).match(/arguments:/g)?.length, 8);
});

test("MCP1 the names of many servers do not fill the tool description", () => {
  const names = Array.from({ length: 60 }, (_, at) => `server-with-a-long-name-${at}`);
  const { description } = createFindTool(servers([], names));
  assert.ok(description.length < 450);
  assert.match(description, /and \d+ more\./);
});
