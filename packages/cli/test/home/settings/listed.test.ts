/** What lists of settings show, and what they only name. */

import { expect, test } from "vitest";
import { listedSettings, shownSettings } from "../../../src/home/settings/listed.ts";

test("MCP17 variables and headers of servers are named, and their values are not shown", () => {
  const mcpServers = {
    hub: { command: "hub", env: { HUB_TOKEN: "any" } },
    web: { url: "https://example.com", headers: { Authorization: "any" } },
    bare: { command: "bare", env: {} },
  };
  const listed = listedSettings({ mcpServers }, new Map()).filter(({ name }) => name.startsWith("mcpServers"));
  expect(listed.flatMap(({ name, value, words }) => (words === undefined ? [] : [[name, value, words]]))).toEqual([
    ['mcpServers["hub"].env', null, "set: HUB_TOKEN"],
    ['mcpServers["bare"].env', null, "none"],
    ['mcpServers["web"].headers', null, "set: Authorization"],
  ]);
  expect(shownSettings(listed)).not.toMatch(/any/);
});
