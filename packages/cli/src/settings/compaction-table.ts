/** Lists the compaction and branch summary settings. `@pith/context` is not loaded for the defaults; a test compares them. */

import {
  agentNameKind,
  booleanKind,
  modelNameKind,
  modelNamesKind,
  percentKind,
  type Setting,
  textKind,
  tokenCountKind,
  tokensOrShareKind,
  type ValueKind,
} from "./definitions.ts";

/** What one model or one agent can have of its own. */
const overridableSettings: readonly Setting[] = [
  {
    name: "reserveTokens",
    kind: tokensOrShareKind(16_384, 0.1),
    fallback: { value: 16_384 },
    description: "Tokens of the window that stay free; never more than a quarter of it.",
    projectAccess: "may",
  },
  {
    name: "keepRecentTokens",
    kind: tokensOrShareKind(20_000, 0.1),
    fallback: { value: 20_000 },
    description: "Tokens at the end that stay as they were said; never more than a fifth of the window.",
    projectAccess: "may",
  },
  {
    name: "thresholdPercent",
    kind: percentKind(72.5),
    fallback: { description: "none" },
    description: "More than this percentage of the window is too much.",
    projectAccess: "may",
  },
  {
    name: "thresholdTokens",
    kind: tokenCountKind(100_000),
    fallback: { description: "none" },
    description: "More tokens than this are too much.",
    projectAccess: "may",
  },
];

export const compactionTable: readonly Setting[] = [
  {
    name: "compaction.enabled",
    kind: booleanKind,
    fallback: { value: true },
    description: "Whether anything is compacted by itself; `/compact` works all the same.",
    projectAccess: "may",
    flag: "--no-auto-compact",
    variable: "PITH_DISABLE_AUTOCOMPACT",
  },
  ...overridableSettings.map((setting) => ({ ...setting, name: `compaction.${setting.name}` })),
  {
    name: "compaction.softPercent",
    kind: percentKind(80),
    fallback: { value: 80 },
    description: "At this percentage of what is too much you are told that it fills up.",
    projectAccess: "may",
  },
  {
    name: "compaction.instructions",
    kind: textKind,
    fallback: { description: "none" },
    description: "What every summary should look at, those that nobody asked for too.",
    projectAccess: "may",
  },
  {
    name: "compaction.ask",
    kind: booleanKind,
    fallback: { value: false },
    description: "Whether you are asked before anything is compacted by itself; where nobody can be asked, it is.",
    projectAccess: "never",
  },
  {
    name: "compaction.model",
    kind: modelNamesKind,
    fallback: { description: "who speaks" },
    description: "Who writes summaries; of several the first that can, and at last who speaks.",
    projectAccess: "never",
  },
  ...createOverrideSettings("compaction.modelOverrides", {
    description: "for this model alone, named as `provider/model`",
    nameKind: modelNameKind,
  }),
  ...createOverrideSettings("compaction.agentOverrides", {
    description: "for this agent alone",
    nameKind: agentNameKind,
  }),
  {
    name: "branchSummary.reserveTokens",
    kind: tokensOrShareKind(16_384, 0.1),
    fallback: { value: 16_384 },
    description:
      "Tokens of the window that stay free when a left branch is summarised, at most a quarter of it; of a longer branch the newest part is summarised.",
    projectAccess: "may",
  },
  {
    name: "branchSummary.skipPrompt",
    kind: booleanKind,
    fallback: { value: false },
    description: "Whether a branch is left without the question if it should be told; then it is not.",
    projectAccess: "never",
  },
];

interface OverrideScope {
  readonly description: string;
  readonly nameKind: ValueKind;
}

function createOverrideSettings(group: string, { description, nameKind }: OverrideScope): readonly Setting[] {
  return overridableSettings.map(({ name, kind, projectAccess }) => ({
    name: `${group}.*.${name}`,
    kind,
    nameKind,
    fallback: { description: `\`compaction.${name}\`` },
    description: `\`${name}\` ${description}.`,
    projectAccess,
  }));
}
