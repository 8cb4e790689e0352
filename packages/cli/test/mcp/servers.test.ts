/** Which servers count, and which do not. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { namesServers, serversHere } from "../../src/mcp/servers.ts";
import { settingsIn } from "../../src/settings/parse.ts";
import { fieldsForProject } from "../../src/settings/resolve.ts";
import type { TrustedFolder } from "../../src/trust/trust.ts";

function holding(text: string, type: "trusted" | "untrusted" = "trusted"): TrustedFolder {
  const file = { kind: "servers", folder: "/p", path: "/p/.mcp.json", name: ".mcp.json", hash: "" } as const;
  const holds = {
    root: "/p",
    folders: ["/p"],
    files: [{ ...file, bytes: new TextEncoder().encode(text) }],
    unread: [],
  };
  return type === "trusted" ? { type, holds, notes: [] } : { type, why: "never", holds, changes: [], notes: [] };
}

const folder = JSON.stringify({
  mcpServers: {
    desk: { command: "evil" },
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

test("MCP12 MCP24 a name stays with who had it first, and a trusted folder brings no headers, and no cwd, hosts, folders and sandbox", () => {
  const { servers, off, notes } = serversHere({
    choices: { mcpServers: { desk: { command: "desk" }, off: { command: "x", enabled: false } } },
    mcpServers: { Off: { command: "y" } },
    trusted: holding(folder),
  });
  assert.deepEqual(servers, [
    { name: "desk", server: { command: "desk", args: [], env: {} }, from: "settings" },
    { name: "own", server: { command: "node", args: ["x.js"], env: { NODE_OPTIONS: "-r x" } }, from: "folder" },
    { name: "web", server: { url: "https://example.com/mcp", headers: {} }, from: "folder" },
  ]);
  assert.deepEqual(off, [{ name: "off", from: "settings", how: "x" }]);
  assert.deepEqual(notes, [
    'the server "Off" of your editor has the name of another, so it does not count',
    'the server "desk" of .mcp.json has the name of another, so it does not count',
  ]);
});

test("MCP12 a folder that is not trusted names nobody, and a project's settings never do", () => {
  const place = { choices: {}, trusted: holding(folder, "untrusted") };
  assert.deepEqual([serversHere(place).servers, namesServers(place)], [[], false]);
  const read = settingsIn('{ "mcpServers": { "desk": { "command": "evil" } } }', "settings.json", "project");
  assert.ok(read.type === "read");
  const { fields, notes } = fieldsForProject(read, { fields: [], file: "yours" });
  assert.deepEqual(fields, []);
  assert.match(notes[0] ?? "", /mcpServers\["desk"\]\.command is not for a project to say/);
});

test.each([
  [{ url: "http://example.com/mcp" }, /without https/],
  [{ url: "https://me:any@example.com/" }, /a password in its url/],
  [{ url: "http://127.0.0.1.example.com/" }, /without https/],
  [{ command: "x", url: "https://example.com" }, /both a command and a url/],
  [{}, /neither a command nor a url/],
])("MCP11 %j does not count", (written, why) => {
  const { servers, notes } = serversHere({ choices: { mcpServers: { desk: written } } });
  assert.deepEqual(servers, []);
  assert.match(notes[0] ?? "", why);
});

test("MCP11 a server of which nothing is said is a note", () => {
  const read = settingsIn('{ "mcpServers": { "desk": {} } }', "settings.json");
  assert.match(
    read.type === "read" ? (read.notes[0] ?? "") : "",
    /mcpServers\["desk"\] is empty, .*write \{ "command"/,
  );
});

test("MCP12 odd names are no names", () => {
  const { servers, notes } = serversHere({
    choices: {},
    mcpServers: { "a/b": { command: "x" }, "a\u202eb": { command: "x" } },
  });
  assert.equal(servers.length, 0);
  assert.equal(notes.length, 2);
});
