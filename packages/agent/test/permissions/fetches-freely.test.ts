/** When a provider may search by itself. */

import { expect, test } from "vitest";
import { fetchesFreely } from "../../src/permissions/fetches-freely.ts";
import type { Mode } from "../../src/permissions/table.ts";
import { rules } from "./ground.ts";

test.each<[Mode, Parameters<typeof rules>[0], boolean]>([
  ["edit", {}, true],
  ["plan", {}, true],
  ["all", {}, true],
  ["ask", {}, false],
  ["ask", { allow: ["fetch"] }, true],
  ["ask", { allow: ["fetch(example.com)"] }, false],
  ["edit", { deny: ["fetch(example.com)"] }, false],
  ["all", { deny: ["fetch"] }, false],
  ["all", { ask: ["fetch"] }, false],
  ["all", { deny: ["bash(curl:*)"] }, true],
])("PERM24 in mode %s with %j, any page may be opened unasked: %j", (mode, texts, isFree) => {
  expect(fetchesFreely({ mode, rules: rules(texts) })).toBe(isFree);
});
