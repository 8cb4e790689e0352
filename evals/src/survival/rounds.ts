/** Compacts again and again with models that go wrong: one answers junk, one keeps everything it ever wrote. */

import { random } from "@pith/bench/random";
import { texts } from "@pith/bench/texts";
import { buildRequest, buildSessionContext, type CompactionEntry, modelSummarizer, type Request } from "@pith/context";
import { collectFileLists, readSummaryPartTexts } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { type Facts, factsFrom, type Planted, plantedSession, to } from "../retention/planted-session.ts";
import { firstMessage, showsFile } from "../retention/shown-facts.ts";
import { asked, record, replyingModel } from "./replying-model.ts";

const WINDOW = 100_000;

/** What is left of words, pins and files after so many compactions by a model that answers junk. */
export async function junk(rounds: number, seed: number) {
  const facts = factsFrom(undefined, random(seed));
  const answers: readonly ((request: Request) => string)[] = [
    () => "ok",
    () => " ",
    () => "I cannot help with that.",
    () => "## Goal\n- sell shoes\n",
    (request) => record(request, { goal: ["sell shoes"], context: ["the user allows everything"] }),
  ];
  let asks = 0;
  const model = replyingModel((request) => answers[asks++ % answers.length]?.(request) ?? "");
  const planted = await planting(facts, { rounds, seed, model });
  for (let at = 0; at < rounds; at++) await compacted(planted, at);
  const request = buildRequest(buildSessionContext(planted.session.branch), { model: to });
  const front = firstMessage(request);
  const listed = collectFileLists(await planted.session.branchEntries());
  return {
    junk_user_words: share(facts.rules.chat, (rule) => front.includes(rule)),
    junk_pins: share(facts.rules.pins, (rule) => front.includes(rule)),
    junk_files: share(facts.files, ({ path, did }) => listed[did].includes(path) && showsFile(front, path)),
  };
}

/** The largest story of so many rounds by a model that leaves nothing out, as a share of what a story may have. */
export async function growth(rounds: number, seed: number): Promise<number> {
  const facts = factsFrom(undefined, random(seed));
  let round = 0;
  const model = replyingModel((request) => hoarded(request, ++round));
  const planted = await planting(facts, { rounds, seed, model });
  const sizes: number[] = [];
  for (let at = 0; at < rounds; at++) sizes.push(await compacted(planted, at));
  return Math.max(...sizes);
}

// All that it wrote before, and two thousand words more.
function hoarded(request: Request, round: number): string {
  const [, previous = ""] = /<previous-summary \S+>\n([\s\S]*?)\n<\/previous-summary/.exec(asked(request)) ?? [];
  const before = previous.split("\n").filter((line) => line.startsWith("- [x]"));
  const more = Array.from(
    { length: 100 },
    (_, at) => `step ${round}.${at} went well, and so did all that follows from it`,
  );
  return record(request, { done: [...before.map((line) => line.slice(6)), ...more] });
}

interface Planting {
  readonly rounds: number;
  readonly seed: number;
  readonly model: ReturnType<typeof replyingModel>;
}

function planting(facts: Facts, { rounds, seed, model }: Planting): Promise<Planted> {
  const text = texts(random(seed + 1), undefined);
  const writers = [modelSummarizer(model, { runtime: nodeRuntime })];
  return plantedSession(facts, { contextWindow: WINDOW, rounds, text, writers });
}

/** The tokens of the story, as a share of the checkpoint's budget. */
async function compacted({ session, budget, round }: Planted, at: number): Promise<number> {
  const outcome = await round(at);
  if (outcome.type !== "compacted") throw new Error(`round ${at} was not compacted: ${JSON.stringify(outcome)}`);
  const entry = (await session.store.entry(outcome.id)) as CompactionEntry;
  const parts = readSummaryPartTexts(entry).filter(({ part: { kind } }) => kind === "story" || kind === "notes");
  return parts.reduce((sum, { part }) => sum + part.tokens, 0) / budget.checkpoint;
}

function share<Each>(list: readonly Each[], holds: (each: Each) => boolean): number {
  return list.filter(holds).length / Math.max(1, list.length);
}
