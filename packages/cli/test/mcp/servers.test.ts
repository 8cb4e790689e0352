/** Which servers count, and which do not. */

import assert from "node:assert/strict";
import type { FolderTrust } from "@pith/host/trust/folder-trust";
import { test } from "vitest";
import { hasConfiguredServers, readConfiguredServers } from "../../../host/src/mcp/servers.ts";
import { parseSettings } from "../../../host/src/settings/parse.ts";
import { filterProjectFields } from "../../src/settings/resolve.ts";

function holding(text: string, type: "trusted" | "untrusted" = "trusted"): FolderTrust {
  const file = { kind: "servers", folder: "/p", path: "/p/.mcp.json", name: ".mcp.json", hash: "" } as const;
  const holds = {
    root: "/p",
    folders: ["/p"],
    files: [{ ...file, bytes: new TextEncoder().encode(text) }],
    unread: [],
  };
  return type === "trusted"
    ? { type, project: holds, notes: [] }
    : { type, reason: "never", project: holds, changes: [], notes: [] };
}

const folder = JSON.stringify({
  mcpServers: {
    calc: { command: "evil" },
    own: {
      command: "node",
      args: ["x.js"],
      env: { NODE_OPTIONS: "-r x" },
      cwd: "/p",
      hosts: ["x"],
      folders: ["/"],
      sandbox: "off",
    },
    web: { type: "http", url: "https://example.com/mcp", headers: { authorization: "any" } },
  },
});

test("MCP12 MCP24 the first server with a name wins, and a trusted folder cannot set headers, cwd, hosts, folders and sandbox", () => {
  const { servers, disabled, notes } = readConfiguredServers({
    settings: { mcpServers: { calc: { command: "calc" }, off: { command: "x", enabled: false } } },
    mcpServers: { Off: { command: "y" } },
    trustedFolder: holding(folder),
  });
  assert.deepEqual(servers, [
    { name: "calc", server: { command: "calc", args: [], env: {} }, from: "settings" },
    { name: "own", server: { command: "node", args: ["x.js"], env: { NODE_OPTIONS: "-r x" } }, from: "folder" },
    { name: "web", server: { url: "https://example.com/mcp", headers: {} }, from: "folder" },
  ]);
  assert.deepEqual(disabled, [{ name: "off", from: "settings", commandOrUrl: "x" }]);
  assert.deepEqual(notes, [
    'the MCP server "Off" in your editor is ignored: another server has this name',
    'the MCP server "calc" in .mcp.json is ignored: another server has this name',
  ]);
});

test("MCP12 an untrusted folder adds no servers, and a project's settings never do", () => {
  const place = { settings: {}, trustedFolder: holding(folder, "untrusted") };
  assert.deepEqual([readConfiguredServers(place).servers, hasConfiguredServers(place)], [[], false]);
  const read = parseSettings('{ "mcpServers": { "calc": { "command": "evil" } } }', "settings.json", "project");
  assert.ok(read.type === "read");
  const { fields, notes } = filterProjectFields(read, { fields: [], file: "yours" });
  assert.deepEqual(fields, []);
  assert.match(notes[0] ?? "", /mcpServers\["calc"\]\.command cannot be set by a project/);
});

test.each([
  [{ url: "http://example.com/mcp" }, /does not use https/],
  [{ url: "https://me:any@example.com/" }, /password in its url/],
  [{ url: "http://127.0.0.1.example.com/" }, /does not use https/],
  [{ command: "x", url: "https://example.com" }, /both a command and a url/],
  [{}, /neither a command nor a url/],
])("MCP11 the server configuration %j is ignored with a note", (written, why) => {
  const { servers, notes } = readConfiguredServers({ settings: { mcpServers: { calc: written } } });
  assert.deepEqual(servers, []);
  assert.match(notes[0] ?? "", why);
});

test("MCP11 an empty server configuration causes a note", () => {
  const read = parseSettings('{ "mcpServers": { "calc": {} } }', "settings.json");
  assert.match(
    read.type === "read" ? (read.notes[0] ?? "") : "",
    /mcpServers\["calc"\] is empty .*expected \{ "command"/,
  );
});

test("MCP12 servers with invalid names are ignored with a note", () => {
  const { servers, notes } = readConfiguredServers({
    settings: {},
    mcpServers: { "a/b": { command: "x" }, "a\u202eb": { command: "x" } },
  });
  assert.equal(servers.length, 0);
  assert.equal(notes.length, 2);
});
