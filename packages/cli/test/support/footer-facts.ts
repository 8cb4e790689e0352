/** Facts of a session that is half full, for tests of what is made of them. */

import type { ContextMeter, FooterData } from "../../src/modes/interactive/state/footer.ts";

export const sampleMeter: ContextMeter = {
  tokens: 84_211,
  isEstimate: false,
  contextWindow: 200_000,
  limit: 183_616,
  softLimit: 146_892,
  isAutoCompactEnabled: true,
  pauseReason: null,
  isSummaryReady: false,
  parts: { system: 9_400, pins: 700, userMessages: 3_100, summary: 6_200, kept: 19_800, recent: 45_011 },
};

export const sampleFooter: FooterData = {
  model: "anthropic/claude-sonnet-4-5",
  thinkingLevel: "high",
  folder: "~/work/parser",
  gitBranch: "main",
  sessionName: "fix the parser",
  treePosition: "3 branches",
  cost: 1.42,
  isSandboxed: true,
  permissionMode: "edit",
  meter: sampleMeter,
};
