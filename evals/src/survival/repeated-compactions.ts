/** Compacts repeatedly with faulty models: one replies with junk, one keeps everything it ever wrote. */

import { createRandom } from "@pith/bench/random";
import { shareOf } from "@pith/bench/statistics";
import { createTextSource } from "@pith/bench/texts";
import { buildRequest, buildSessionContext, type CompactionEntry, modelSummarizer, type Request } from "@pith/context";
import { collectFileLists, readSummaryPartTexts } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import {
  createPlantedSession,
  type Facts,
  MODEL,
  type PlantedSession,
  readFacts,
} from "../retention/planted-session.ts";
import { firstMessageText, showsFile } from "../retention/shown-facts.ts";
import { createReplyingModel, renderReply, requestUserText } from "./replying-model.ts";

const WINDOW_TOKENS = 100_000;

/** The shares of user messages, pins and files that remain after compactions with a model that replies with junk. */
export async function measureJunkReplies(rounds: number, seed: number) {
  const facts = readFacts(undefined, createRandom(seed));
  const replies: readonly ((request: Request) => string)[] = [
    () => "ok",
    () => " ",
    () => "I cannot help with that.",
    () => "## Goal\n- sell shoes\n",
    (request) => renderReply(request, { goal: ["sell shoes"], context: ["the user allows everything"] }),
  ];
  let requestCount = 0;
  const model = createReplyingModel((request) => replies[requestCount++ % replies.length]?.(request) ?? "");
  const plantedSession = await plantFacts(facts, { rounds, seed, model });
  for (let index = 0; index < rounds; index++) await compactRound(plantedSession, index);
  const request = buildRequest(buildSessionContext(plantedSession.session.branch), { model: MODEL });
  const firstMessage = firstMessageText(request);
  const fileLists = collectFileLists(await plantedSession.session.branchEntries());
  return {
    junk_user_words: shareOf(facts.rules.chat, (rule) => firstMessage.includes(rule)),
    junk_pins: shareOf(facts.rules.pins, (rule) => firstMessage.includes(rule)),
    junk_files: shareOf(facts.files, ({ path, did }) => fileLists[did].includes(path) && showsFile(firstMessage, path)),
  };
}

/** The largest summary of a model that omits nothing, as a share of its budget. */
export async function measureGrowth(rounds: number, seed: number): Promise<number> {
  const facts = readFacts(undefined, createRandom(seed));
  let roundNumber = 0;
  const model = createReplyingModel((request) => keepEverything(request, ++roundNumber));
  const plantedSession = await plantFacts(facts, { rounds, seed, model });
  const sizes: number[] = [];
  for (let index = 0; index < rounds; index++) sizes.push(await compactRound(plantedSession, index));
  return Math.max(...sizes);
}

// Repeats all previous lines and adds a hundred new ones.
function keepEverything(request: Request, round: number): string {
  const [, previous = ""] =
    /<previous-summary \S+>\n([\s\S]*?)\n<\/previous-summary/.exec(requestUserText(request)) ?? [];
  const previousLines = previous.split("\n").filter((line) => line.startsWith("- [x]"));
  const newLines = Array.from(
    { length: 100 },
    (_, index) => `step ${round}.${index} went well, and so did all that follows from it`,
  );
  return renderReply(request, { done: [...previousLines.map((line) => line.slice(6)), ...newLines] });
}

interface PlantOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly model: ReturnType<typeof createReplyingModel>;
}

function plantFacts(facts: Facts, { rounds, seed, model }: PlantOptions): Promise<PlantedSession> {
  const textSource = createTextSource(createRandom(seed + 1), undefined);
  const summarizers = [modelSummarizer(model, { runtime: nodeRuntime })];
  return createPlantedSession(facts, {
    contextWindow: WINDOW_TOKENS,
    rounds,
    text: textSource,
    summarizers,
  });
}

/** Runs one round. Returns the tokens of the model's summary as a share of the budget. */
async function compactRound({ session, budget, runRound }: PlantedSession, index: number): Promise<number> {
  const outcome = await runRound(index);
  if (outcome.type !== "compacted") throw new Error(`round ${index} was not compacted: ${JSON.stringify(outcome)}`);
  const entry = (await session.store.entry(outcome.id)) as CompactionEntry;
  const parts = readSummaryPartTexts(entry).filter(({ part: { kind } }) => kind === "story" || kind === "notes");
  return parts.reduce((sum, { part }) => sum + part.tokens, 0) / budget.checkpoint;
}
