/** Runs `pnpm eval keeping`: how many planted facts remain after many compactions without a model. */

import { createRandom } from "@pith/bench/random";
import { shareOf } from "@pith/bench/statistics";
import type { Figures, Suite, SuiteOptions } from "@pith/bench/suite";
import { createTextSource, type TextSource } from "@pith/bench/texts";
import {
  buildRequest,
  buildSessionContext,
  type CompactionEntry,
  type Finding,
  type Receipt,
  type Session,
} from "@pith/context";
import { authorOf, collectFileLists, entryReference, readSummaryPartTexts } from "@pith/context/host";
import { createPlantedSession, type Facts, MODEL, type PlantedSession, readFacts } from "./planted-session.ts";
import {
  findLastChecks,
  firstMessageText,
  lastFailures,
  namesFile,
  showsCheck,
  showsError,
  showsFile,
} from "./shown-facts.ts";

export const keepingSuite: Suite = {
  name: "keeping",
  description:
    "20 rules, 200 file operations, 50 commands: how many remain after 10 and 50 compactions without a model",
  run: runKeeping,
};

const ROUNDS = 10;
const WINDOW_TOKENS = 200_000;

async function runKeeping({ quick, seed, corpus, facts: factsFile, log }: SuiteOptions): Promise<Figures> {
  const facts = readFacts(factsFile, createRandom(seed));
  const makeText = createTextSource(createRandom(seed + 1), corpus);
  const plantedSession = await createPlantedSession(facts, {
    contextWindow: WINDOW_TOKENS,
    rounds: ROUNDS,
    text: makeText,
  });
  log(`${ROUNDS} compactions in a window of ${WINDOW_TOKENS} tokens`);
  const roundResults: RoundResult[] = [];
  for (let index = 0; index < ROUNDS; index++) roundResults.push(await compactRound(plantedSession, index));
  const factsKept = await countKeptFacts(plantedSession.session, facts);
  const extraRounds = quick ? 10 : 50 - ROUNDS;
  log(`${extraRounds} more compactions`);
  for (let index = ROUNDS; index < ROUNDS + extraRounds; index++)
    roundResults.push(await compactRound(plantedSession, index));
  const laterFacts = await countKeptFacts(plantedSession.session, facts);
  return {
    rounds: ROUNDS,
    ...factsKept,
    prefix_kept: shareOf(
      roundResults,
      (front, index) =>
        index === 0 || front.hasEvictions || front.stableText.startsWith(roundResults[index - 1]?.stableText ?? ""),
    ),
    evictions: roundResults.filter(({ hasEvictions }) => hasEvictions).length,
    [`front_growth_${ROUNDS + extraRounds}`]: Math.max(...roundResults.map(({ budgetShare }) => budgetShare)),
    [`pins_${ROUNDS + extraRounds}`]: laterFacts.pins,
    [`files_listed_${ROUNDS + extraRounds}`]: laterFacts.files_listed,
    ...(await measureSmallWindow(facts, { rounds: ROUNDS, text: makeText })),
  };
}

const SMALL_WINDOW_TOKENS = 8_000;

/** Uses a window that is too small for all of the user's messages. A receipt must name each message that is not shown whole. */
async function measureSmallWindow(facts: Facts, options: { readonly rounds: number; readonly text: TextSource }) {
  const { session, runRound } = await createPlantedSession(facts, { contextWindow: SMALL_WINDOW_TOKENS, ...options });
  const noticed = new Set<number>();
  for (let index = 0; index < options.rounds; index++) {
    const outcome = await runRound(index);
    if (outcome.type !== "compacted") throw new Error(`round ${index} was not compacted: ${JSON.stringify(outcome)}`);
    for (const { note } of listMessageFindings(outcome.receipt))
      for (const number of findNumbers(note)) noticed.add(number);
  }
  const firstMessage = firstMessageText(buildRequest(buildSessionContext(session.branch), { model: MODEL }));
  const inContext = new Set(session.branch.entries.map(({ id }) => id));
  const messages = (await session.branchEntries()).filter((entry) => authorOf(entry) === "person");
  const evicted = messages.filter(
    (entry) => !inContext.has(entry.id) && !firstMessage.includes(`[${entryReference(entry)}]\n`),
  );
  return {
    small_window_messages: messages.length,
    small_window_evicted: evicted.length,
    small_window_unnamed: evicted.filter(({ number = 0 }) => !noticed.has(number)).length,
  };
}

/** The findings about messages of the user that are not shown word for word. */
function listMessageFindings({ findings }: Receipt): readonly Finding[] {
  return findings.filter(({ code }) => code.startsWith("user-messages-"));
}

/** The numbers in a note, and all numbers in its ranges such as `#5–#61`. */
function findNumbers(note: string): readonly number[] {
  return [...note.matchAll(/#(\d+)(?:–#(\d+))?/g)].flatMap(([, first = "", last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index),
  );
}

interface RoundResult {
  /** Pins and user messages, which should not change. */
  readonly stableText: string;
  readonly hasEvictions: boolean;
  /** The size of the front as a share of its budget. */
  readonly budgetShare: number;
}

async function compactRound({ session, budget, runRound }: PlantedSession, index: number): Promise<RoundResult> {
  const outcome = await runRound(index);
  if (outcome.type !== "compacted") throw new Error(`round ${index} was not compacted: ${JSON.stringify(outcome)}`);
  const entry = (await session.store.entry(outcome.id)) as CompactionEntry;
  const parts = readSummaryPartTexts(entry);
  const sumTokens = (kinds: readonly string[]): number =>
    parts.filter(({ part }) => kinds.includes(part.kind)).reduce((sum, { part }) => sum + part.tokens, 0);
  return {
    stableText: parts
      .filter(({ part: { kind } }) => kind === "pins" || kind === "words")
      .map(({ text }) => text)
      .join(""),
    hasEvictions: listMessageFindings(outcome.receipt).length > 0,
    budgetShare: Math.max(
      sumTokens(["words", "omitted"]) / budget.userMessages,
      sumTokens(["story", "notes", "ledger"]) / budget.checkpoint,
    ),
  };
}

async function countKeptFacts(session: Session, { rules, files, commands }: Facts) {
  const request = buildRequest(buildSessionContext(session.branch), { model: MODEL });
  const system = request.system.map(({ text }) => text).join("\n");
  const firstMessage = firstMessageText(request);
  const fileLists = collectFileLists(await session.branchEntries());
  const isListed = ({ path, did }: Facts["files"][number]): boolean => fileLists[did].includes(path);
  return {
    rules_in_files: shareOf(rules.files, (rule) => system.includes(rule)),
    rules_in_system: shareOf(rules.system, (rule) => system.includes(rule)),
    user_words: shareOf(rules.chat, (rule) => firstMessage.includes(rule)),
    pins: shareOf(rules.pins, (rule) => firstMessage.includes(rule)),
    files: shareOf(files, (file) => isListed(file) && showsFile(firstMessage, file.path)),
    files_named: shareOf(files, ({ path }) => namesFile(firstMessage, path)),
    files_listed: shareOf(files, isListed),
    checks: shareOf(findLastChecks(commands, ROUNDS), (command) => showsCheck(firstMessage, command)),
    errors: shareOf(lastFailures(commands, ROUNDS), (command) => showsError(firstMessage, command)),
  };
}
