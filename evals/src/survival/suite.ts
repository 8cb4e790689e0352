/** Runs `pnpm eval survival`: which facts reach a summarizer, and which invented requests, injections and junk reach its summary. */

import { createRandom } from "@pith/bench/random";
import { shareOf } from "@pith/bench/statistics";
import type { Figures, Suite, SuiteOptions } from "@pith/bench/suite";
import { createTextSource } from "@pith/bench/texts";
import { FACT_KINDS, FACT_PLACES, type PlantedFact, readFacts } from "./facts.ts";
import { tryInjections } from "./injections.ts";
import { tryInventedRequests } from "./invented-requests.ts";
import { LANGUAGES } from "./languages/all.ts";
import { FACT_TYPES } from "./languages/language.ts";
import { type JudgedFact, measurePlantedFacts } from "./planted-facts.ts";
import { measureGrowth, measureJunkReplies } from "./repeated-compactions.ts";

export const survivalSuite: Suite = {
  name: "survival",
  description:
    "240 facts planted in long results: how many reach a summarizer, compared with pi; and how many invented requests, injections and junk replies reach the summary",
  run: runSurvival,
};

async function runSurvival({ quick, seed, corpus, facts: factsFile, log }: SuiteOptions): Promise<Figures> {
  const facts = readFacts(factsFile, quick ? 1 : 5, createRandom(seed));
  log(`${facts.length} facts, each in a result of 6,000 to 40,000 characters`);
  const randomSource = createRandom(seed + 1);
  const {
    facts: judgedFacts,
    ratio,
    piRatio,
  } = await measurePlantedFacts(facts, {
    random: randomSource,
    corpus: corpus === undefined ? null : createTextSource(randomSource, corpus),
  });
  log(formatTable(judgedFacts));
  const inventedRequests = await tryInventedRequests();
  const injectionResult = await tryInjections();
  const [rounds, junkRounds] = quick ? [5, 5] : [50, 10];
  log(
    `${inventedRequests.attempts} invented requests, ${injectionResult.attempts} injections, ${junkRounds} rounds of junk, ${rounds} of a model that keeps everything`,
  );
  return {
    facts: judgedFacts.length,
    survival: shareOf(judgedFacts, ({ shownByPith }) => shownByPith),
    ratio,
    pi_survival: shareOf(judgedFacts, ({ shownByPi }) => shownByPi),
    pi_ratio: piRatio,
    ...toGroupFigures(judgedFacts),
    invented_requests: inventedRequests.passed,
    invented_tried: inventedRequests.attempts,
    injections: injectionResult.passed,
    injections_tried: injectionResult.attempts,
    [`growth_${rounds}`]: await measureGrowth(rounds, seed),
    ...(await measureJunkReplies(junkRounds, seed)),
  };
}

type FactGroup = readonly [name: string, matches: (fact: PlantedFact) => boolean];

const FACT_GROUPS: readonly FactGroup[] = [
  ...FACT_KINDS.map((kind): FactGroup => [kind, (fact) => fact.kind === kind]),
  ...FACT_PLACES.map((place): FactGroup => [place, (fact) => fact.place === place]),
  ...LANGUAGES.map(({ name }): FactGroup => [name, (fact) => fact.language.name === name]),
];

/** The shares by kind, place and language. */
function toGroupFigures(judgedFacts: readonly JudgedFact[]): Figures {
  return Object.fromEntries(
    FACT_GROUPS.flatMap(([name, predicate]) => {
      const groupFacts = judgedFacts.filter(({ fact }) => predicate(fact));
      return groupFacts.length === 0
        ? []
        : [[`survival_${name}`, shareOf(groupFacts, ({ shownByPith }) => shownByPith)]];
    }),
  );
}

function formatTable(judgedFacts: readonly JudgedFact[]): string {
  const typeGroups = FACT_TYPES.map((sort): FactGroup => [sort, (fact) => fact.sort === sort]);
  const rows = [...FACT_GROUPS, ...typeGroups].flatMap(([name, predicate]) => {
    const groupFacts = judgedFacts.filter(({ fact }) => predicate(fact));
    const shares = [
      shareOf(groupFacts, ({ shownByPith }) => shownByPith),
      shareOf(groupFacts, ({ shownByPi }) => shownByPi),
    ];
    return groupFacts.length === 0 ? [] : [[name, groupFacts.length, ...shares.map((each) => each.toFixed(2))]];
  });
  const lines = [["", "facts", "ours", "pi"], ...rows].map(([name, ...cells]) =>
    [String(name).padEnd(12), ...cells.map((cell) => String(cell).padStart(6))].join(""),
  );
  const lostLines = judgedFacts.filter(({ shownByPith }) => !shownByPith).map(({ fact }) => formatLostFact(fact));
  return [...lines, ...lostLines.slice(0, MAX_LOST)].join("\n");
}

const MAX_LOST = 20;

function formatLostFact({ kind, place, sort, text }: PlantedFact): string {
  return `lost: ${kind}, ${place}, ${sort}: ${text}`;
}
