/** Lists the compaction and branch summary settings. `@pith/context` is not loaded for the defaults; a test compares them. */

import {
  agentName,
  type Kind,
  modelName,
  modelNames,
  percentSuchAs,
  type Setting,
  text,
  tokensOrShareSuchAs,
  tokensSuchAs,
  yesOrNo,
} from "./definitions.ts";

/** What one model or one agent can have of its own. */
const amounts: readonly Setting[] = [
  {
    name: "reserveTokens",
    kind: tokensOrShareSuchAs(16_384, 0.1),
    fallback: { value: 16_384 },
    says: "Tokens of the window that stay free; never more than a quarter of it.",
    project: "may",
  },
  {
    name: "keepRecentTokens",
    kind: tokensOrShareSuchAs(20_000, 0.1),
    fallback: { value: 20_000 },
    says: "Tokens at the end that stay as they were said; never more than a fifth of the window.",
    project: "may",
  },
  {
    name: "thresholdPercent",
    kind: percentSuchAs(72.5),
    fallback: { words: "none" },
    says: "More than this percentage of the window is too much.",
    project: "may",
  },
  {
    name: "thresholdTokens",
    kind: tokensSuchAs(100_000),
    fallback: { words: "none" },
    says: "More tokens than this are too much.",
    project: "may",
  },
];

export const compactionTable: readonly Setting[] = [
  {
    name: "compaction.enabled",
    kind: yesOrNo,
    fallback: { value: true },
    says: "Whether anything is compacted by itself; `/compact` works all the same.",
    project: "may",
    flag: "--no-auto-compact",
    variable: "PITH_DISABLE_AUTOCOMPACT",
  },
  ...amounts.map((setting) => ({ ...setting, name: `compaction.${setting.name}` })),
  {
    name: "compaction.softPercent",
    kind: percentSuchAs(80),
    fallback: { value: 80 },
    says: "At this percentage of what is too much you are told that it fills up.",
    project: "may",
  },
  {
    name: "compaction.instructions",
    kind: text,
    fallback: { words: "none" },
    says: "What every summary should look at, those that nobody asked for too.",
    project: "may",
  },
  {
    name: "compaction.ask",
    kind: yesOrNo,
    fallback: { value: false },
    says: "Whether you are asked before anything is compacted by itself; where nobody can be asked, it is.",
    project: "never",
  },
  {
    name: "compaction.model",
    kind: modelNames,
    fallback: { words: "who speaks" },
    says: "Who writes summaries; of several the first that can, and at last who speaks.",
    project: "never",
  },
  ...overriding("compaction.modelOverrides", {
    whom: "for this model alone, named as `provider/model`",
    names: modelName,
  }),
  ...overriding("compaction.agentOverrides", { whom: "for this agent alone", names: agentName }),
  {
    name: "branchSummary.reserveTokens",
    kind: tokensOrShareSuchAs(16_384, 0.1),
    fallback: { value: 16_384 },
    says: "Tokens of the window that stay free when a left branch is summarised, at most a quarter of it; of a longer branch the newest part is summarised.",
    project: "may",
  },
  {
    name: "branchSummary.skipPrompt",
    kind: yesOrNo,
    fallback: { value: false },
    says: "Whether a branch is left without the question if it should be told; then it is not.",
    project: "never",
  },
];

interface Overriding {
  readonly whom: string;
  readonly names: Kind;
}

function overriding(group: string, { whom, names }: Overriding): readonly Setting[] {
  return amounts.map(({ name, kind, project }) => ({
    name: `${group}.*.${name}`,
    kind,
    names,
    fallback: { words: `\`compaction.${name}\`` },
    says: `\`${name}\` ${whom}.`,
    project,
  }));
}
