/** Facts of a session that is half full, for tests of what is made of them. */

import type { Facts, Meter } from "../../../../src/modes/interactive/state/footer.ts";

export const someMeter: Meter = {
  tokens: 84_211,
  isEstimate: false,
  contextWindow: 200_000,
  limit: 183_616,
  soft: 146_892,
  isAutomatic: true,
  held: null,
  parts: { system: 9_400, pins: 700, words: 3_100, checkpoint: 6_200, tail: 19_800, fresh: 45_011 },
};

export const someFacts: Facts = {
  model: "anthropic/claude-sonnet-4-5",
  thinking: "high",
  folder: "~/work/parser",
  gitBranch: "main",
  sessionName: "fix the parser",
  place: "3 branches",
  cost: 1.42,
  isSandboxed: true,
  mode: "edit",
  meter: someMeter,
};
