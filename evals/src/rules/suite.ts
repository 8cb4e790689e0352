/** Runs `pnpm eval rules`: whether rules that the user stated early survive every compaction. */

import { shareOf } from "@pith/bench/statistics";
import type { Figures, Suite, SuiteOptions } from "@pith/bench/suite";
import { type PlannedSession, planRuleSession } from "./generated-session.ts";
import { type PlayedCompaction, type PlayOptions, playSession } from "./play-session.ts";
import { playRecordedSession } from "./recorded-session.ts";
import { planPasteFlood, planShortRules } from "./special-sessions.ts";
import type { SummarizerName } from "./summarizers.ts";

export const rulesSuite: Suite = {
  name: "rules",
  description:
    "rules that the user stated early: how many the model still sees after each compaction, and whether messages disappear without notice",
  run: runRules,
};

async function runRules({ quick, seed, log }: SuiteOptions): Promise<Figures> {
  const runs: RuleRun[] = [{ name: "a", compactions: await playRecordedSession() }];
  for (const { name, plan, options } of listCases(quick, seed))
    runs.push({ name, compactions: await playSession(plan, { ...options, seed }) });
  const levels: RuleRun[] = [];
  const plan = planRuleSession(seed, LEVEL_MESSAGES);
  for (const { name, options } of listLevelCases(quick))
    levels.push({ name, compactions: await playSession(plan, { ...options, seed }) });
  for (const run of [...runs, ...levels]) logRun(run, log);
  return toFigures(runs, levels);
}

/** A played session. */
export interface RuleRun {
  readonly name: string;
  readonly compactions: readonly PlayedCompaction[];
}

interface RuleCase {
  readonly name: string;
  readonly plan: PlannedSession;
  readonly options: Omit<PlayOptions, "seed">;
}

const SUMMARIZERS: readonly SummarizerName[] = ["honest", "lazy", "junk", "junk-cites-all"];

function listCases(quick: boolean, seed: number): readonly RuleCase[] {
  const [mixed, short, flood] = [planRuleSession(seed), planShortRules(seed), planPasteFlood(seed)];
  const windows = quick ? [24_000] : [24_000, 200_000];
  const mixedCases = windows.flatMap((contextWindow) => listMixedCases(mixed, contextWindow, quick));
  const summarizers: readonly SummarizerName[] = quick ? ["honest"] : SUMMARIZERS;
  return [
    ...mixedCases,
    ...(quick ? [nameCase("b", mixed, { contextWindow: 200_000, summarizer: "honest", compactions: 2 })] : []),
    ...summarizers.map((summarizer) => nameCase("c", short, { contextWindow: 200_000, summarizer, compactions: 4 })),
    ...summarizers.map((summarizer) => nameCase("d", flood, { contextWindow: 24_000, summarizer, compactions: 6 })),
  ];
}

function listMixedCases(plan: PlannedSession, contextWindow: number, quick: boolean): readonly RuleCase[] {
  const options = { contextWindow, compactions: 10 };
  const routes = ["transcript", "same-prefix"] as const;
  const all = routes.flatMap((route) => SUMMARIZERS.map((summarizer) => ({ ...options, summarizer, route })));
  const isQuick = ({ summarizer, route }: (typeof all)[number]): boolean =>
    route === "transcript" || summarizer === "honest";
  const prepared = { ...options, summarizer: "honest" as const, isPrepared: true };
  return [...all.filter((each) => !quick || isQuick(each)), prepared].map((each) => nameCase("b", plan, each));
}

function nameCase(session: string, plan: PlannedSession, options: RuleCase["options"]): RuleCase {
  const { contextWindow, summarizer, route, isPrepared } = options;
  const parts = [
    session,
    `${contextWindow / 1_000}k`,
    summarizer.replaceAll("-", "_"),
    ...(route === "same-prefix" ? ["same_prefix"] : []),
    ...(isPrepared ? ["prepared"] : []),
  ];
  return { name: parts.join("_"), plan, options };
}

/** Compactions at every compaction level: after refusals of a request, with small windows, and with large system prompts. */
function listLevelCases(quick: boolean): readonly Pick<RuleCase, "name" | "options">[] {
  const windows = quick ? [24_000, 8_000] : [24_000, 8_000, 4_000, 2_500, 1_500];
  const refusals = windows.flatMap((contextWindow) =>
    [0, 1, 2, 3].map((overflowAttempt) => ({ contextWindow, overflowAttempt })),
  );
  const prompts = [15_000, 16_500].map((systemTokens) => ({ contextWindow: 24_000, systemTokens }));
  return [...refusals, ...prompts].map((each) => ({
    name: `levels_${Object.values(each).join("_")}`,
    options: { ...each, summarizer: "honest", compactions: 3 },
  }));
}

const LEVEL_MESSAGES = 60;

/** The lists of a compaction, by the name of their figure. */
const LISTS = {
  rules_unreachable: "unreachable",
  rules_lost: "lost",
  superseded_as_valid: "supersededAsValid",
  silent_evictions: "silentEvictions",
  budget_overruns: "overruns",
} as const satisfies Readonly<Record<string, keyof PlayedCompaction>>;

type ListName = keyof typeof LISTS;

function toFigures(runs: readonly RuleRun[], levels: readonly RuleRun[]): Figures {
  const total = (list: readonly RuleRun[], name: ListName): number =>
    list.reduce((sum, run) => sum + countItems(run, name), 0);
  return {
    rules_lost: total(runs, "rules_lost"),
    superseded_as_valid: total(runs, "superseded_as_valid"),
    silent_evictions: total(runs, "silent_evictions"),
    budget_overruns: total([...runs, ...levels], "budget_overruns"),
    ...Object.assign({}, ...runs.map(toRunFigures)),
    levels: new Set(levels.flatMap(({ compactions }) => compactions.map(({ rung }) => rung))).size,
    levels_rules_lost: total(levels, "rules_lost"),
    levels_superseded_as_valid: total(levels, "superseded_as_valid"),
    levels_silent_evictions: total(levels, "silent_evictions"),
  };
}

/** A rule or message counts once in a run, however many compactions it is missing after. Every overrun counts. */
function countItems({ compactions }: RuleRun, name: ListName): number {
  const items = compactions.flatMap((compaction) => compaction[LISTS[name]]);
  return name === "budget_overruns" ? items.length : new Set(items).size;
}

function toRunFigures(run: RuleRun): Figures {
  const { name, compactions } = run;
  const shares = compactions.map(({ holding, unreachable }) => (holding === 0 ? 1 : 1 - unreachable.length / holding));
  return {
    [`rules_reachable_${name}`]: Math.min(...shares),
    [`rules_reachable_end_${name}`]: shares.at(-1) ?? 0,
    [`rules_lost_${name}`]: countItems(run, "rules_lost"),
    [`superseded_as_valid_${name}`]: countItems(run, "superseded_as_valid"),
    [`silent_evictions_${name}`]: countItems(run, "silent_evictions"),
    // The program may choose another way to request a summary, or request it again.
    ...(name.endsWith("_same_prefix") && {
      [`same_prefix_share_${name}`]: shareOf(compactions, ({ route }) => route === "same-prefix"),
    }),
    ...(name.endsWith("_prepared") && { [`prepared_share_${name}`]: shareOf(compactions, (each) => each.isPrepared) }),
  };
}

/** Logs each rule or message with the first compaction after which it is missing. A lost rule is not logged as unreachable too. */
function logRun({ name, compactions }: RuleRun, log: SuiteOptions["log"]): void {
  const routes = [...new Set(compactions.map(({ route, isPrepared }) => `${route}${isPrepared ? ", prepared" : ""}`))];
  const levels = [...new Set(compactions.map(({ rung }) => rung))];
  log(`${name}: ${compactions.length} compactions (${routes.join("; ")}; ${levels.join(", ")})`);
  const { messageTokens } = compactions.at(-1) ?? {};
  // Why not every rule is reachable if no summary carries over what leaves.
  if (messageTokens)
    log(`  the user's messages have ${formatNumber(messageTokens.all)} tokens; ${formatNumber(messageTokens.fit)} fit`);
  const lost = new Set(compactions.flatMap((compaction) => compaction.lost));
  for (const [figure, list] of Object.entries(LISTS)) {
    const first = new Map<string, number>();
    for (const [index, compaction] of compactions.entries())
      for (const item of compaction[list]) if (!first.has(item)) first.set(item, index + 1);
    const lines = [...first]
      .filter(([item]) => list !== "unreachable" || !lost.has(item))
      .map(([item, compaction]) => `  ${figure} after compaction ${compaction}: ${item}`);
    for (const line of lines.slice(0, MAX_LOGGED)) log(line);
    if (lines.length > MAX_LOGGED) log(`  ${figure}: ${lines.length - MAX_LOGGED} more`);
  }
}

const formatNumber = (number: number): string => number.toLocaleString("en-US");

const MAX_LOGGED = 20;
