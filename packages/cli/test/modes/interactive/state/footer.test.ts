/** Tests what the footer gets from the parts of the program. */

import { expect, test } from "vitest";
import { createAbsentModel } from "../../../../../host/src/models/open-model.ts";
import { buildFooterData, type FooterApp } from "../../../../src/modes/interactive/state/footer.ts";

function footerModel(spoke: { readonly provider: string; readonly modelId: string } | null): string {
  const agent = { model: createAbsentModel("a key is missing", spoke), thinkingLevel: "off" };
  const parts = { agent, permissions: { mode: "edit" }, tools: [] };
  return buildFooterData({ ...parts, cwd: "/project" } as unknown as FooterApp).model;
}

test('FST9 without a model the footer shows "no model yet", or the last model of the session', () => {
  expect(footerModel(null)).toBe("no model yet");
  expect(footerModel({ provider: "anthropic", modelId: "claude-sonnet-4-5" })).toBe("anthropic/claude-sonnet-4-5");
});
