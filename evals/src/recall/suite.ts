/** Runs `pnpm eval recall`: facts that many compactions have removed from the context, found again with the recall tool, and what that costs. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recallTool, type Tool } from "@pith/agent";
import { sessionSearch } from "@pith/agent/node";
import { createRandom } from "@pith/bench/random";
import { quantile, shareOf } from "@pith/bench/statistics";
import type { Figures, Suite, SuiteOptions } from "@pith/bench/suite";
import { buildSessionContext, type Session } from "@pith/context";
import { generateFacts, type PlantedFact } from "./facts.ts";
import { measureQuestions } from "./played-questions.ts";
import { measureRereads } from "./rereads.ts";
import { runTool } from "./run-tool.ts";
import { writeLongSession } from "./session.ts";

export const recallSuite: Suite = {
  name: "recall",
  description:
    "facts of a session with 100,000 entries and 50 compactions, found with the recall tool within three calls; questions and rereads in recorded sessions",
  run: runRecall,
};

async function runRecall({ quick, seed, log }: SuiteOptions): Promise<Figures> {
  const random = createRandom(seed);
  const home = mkdtempSync(join(tmpdir(), "pith-recall-"));
  try {
    const facts = generateFacts(quick ? 12 : 100, random);
    const entries = quick ? 4_000 : 100_000;
    const { session, path, entryCount, compactionCount } = await writeLongSession({
      home,
      entries,
      compactions: 50,
      facts,
      random,
    });
    log(`${entryCount} entries, ${compactionCount} compactions, ${facts.length} facts`);
    const tool = recallTool({ session, search: sessionSearch(path, { home }), root: "/work/project" });
    const { seconds: indexSeconds } = await measure(() => runTool(tool, { query: "nothing-to-find" }));
    log(`indexed in ${indexSeconds.toFixed(1)} s`);
    const context = JSON.stringify(buildSessionContext(session.branch).messages);
    const answers: AnsweredQuestion[] = [];
    for (const fact of facts) answers.push(await askQuestion(fact, { tool, session }));
    for (const { fact, calls } of answers) if (calls === null) log(`not found: ${fact.question} (${fact.text})`);
    const callTimes = answers.flatMap(({ milliseconds }) => milliseconds);
    return {
      entries: entryCount,
      compactions: compactionCount,
      facts: facts.length,
      distractors: facts[0]?.distractors.length ?? 0,
      in_context: shareOf(facts, ({ answer }) => context.includes(answer)),
      recoverable: shareOf(answers, ({ calls }) => calls !== null),
      first_call: shareOf(answers, ({ calls }) => calls === 1),
      index_s: indexSeconds,
      search_ms_p50: quantile(callTimes, 0.5),
      search_ms_p95: quantile(callTimes, 0.95),
      search_cpu_ms_p95: quantile(
        answers.flatMap(({ cpuMilliseconds }) => cpuMilliseconds),
        0.95,
      ),
      result_bytes_max: Math.max(...answers.flatMap(({ bytes }) => bytes)),
      ...(await measureQuestions(log)),
      ...(await measureRereads(log)),
    };
  } finally {
    rmSync(home, { recursive: true });
  }
}

interface AnsweredQuestion {
  readonly fact: PlantedFact;
  /** The call that showed the answer; null if none of three did. */
  readonly calls: number | null;
  readonly milliseconds: readonly number[];
  /** Without the time in which other programs had the processor. */
  readonly cpuMilliseconds: readonly number[];
  readonly bytes: readonly number[];
}

const MAX_CALLS = 3;

/** Asks like a model that knows nothing but the question: its words as the query, then the next pages. The session grows with each call. */
async function askQuestion(
  fact: PlantedFact,
  { tool, session }: { readonly tool: Tool; readonly session: Session },
): Promise<AnsweredQuestion> {
  const milliseconds: number[] = [];
  const cpuMilliseconds: number[] = [];
  const bytes: number[] = [];
  let offset = 1;
  for (let call = 1; call <= MAX_CALLS; call++) {
    await session.append({ type: "message", message: { role: "user", content: "Next.", timestamp: 0 } });
    const { result, seconds, cpuSeconds } = await measure(() => runTool(tool, { query: fact.question, offset }));
    milliseconds.push(seconds * 1000);
    cpuMilliseconds.push(cpuSeconds * 1000);
    bytes.push(Buffer.byteLength(result));
    if (result.includes(fact.answer)) return { fact, calls: call, milliseconds, cpuMilliseconds, bytes };
    const next = /Continue with offset (\d+)/.exec(result)?.[1];
    if (next === undefined) break;
    offset = Number(next);
  }
  return { fact, calls: null, milliseconds, cpuMilliseconds, bytes };
}

interface Measured<Result> {
  readonly result: Result;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function measure<Result>(run: () => Promise<Result>): Promise<Measured<Result>> {
  const [start, cpuStart] = [performance.now(), process.cpuUsage()];
  const result = await run();
  const { user, system } = process.cpuUsage(cpuStart);
  return { result, seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1_000_000 };
}
