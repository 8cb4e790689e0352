/** Asks the recall tool questions about a recorded session, and measures what the answers cost. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recallTool, type Tool } from "@pith/agent";
import { sessionSearch } from "@pith/agent/node";
import type { Figures } from "@pith/bench/suite";
import { Session, textTokens } from "@pith/context";
import { nodeRuntime, openStore } from "@pith/context/node";
import { recordingFile } from "../played/recording.ts";
import { runTool } from "./run-tool.ts";

interface PlayedQuestion {
  /** `recorded`: by the model of the recording, in the middle of the session. `written`: for this eval, at its end. */
  readonly source: "recorded" | "written";
  readonly query: string;
  /** The text that answers it. */
  readonly answer: string;
}

/** Ten questions of each kind. A question is answered if the result of the first query shows the text. */
export async function measureQuestions(log: (text: string) => void): Promise<Figures> {
  const questions: readonly PlayedQuestion[] = JSON.parse(
    readFileSync(join(import.meta.dirname, "played-questions.json"), "utf8"),
  );
  const figures: Record<string, number> = {};
  for (const kind of ["recorded", "written"] as const) {
    const answers = await askAll(
      questions.filter(({ source }) => source === kind),
      kind === "recorded" ? RECORDED_QUESTIONS_AT : Number.POSITIVE_INFINITY,
    );
    for (const { query, isAnswered, tokens } of answers)
      log(`${isAnswered ? "answered" : "not answered"}, ${tokens} tokens: ${query}`);
    figures[`played_${kind}_answered`] = answers.filter(({ isAnswered }) => isAnswered).length;
    figures[`played_${kind}_tokens`] = answers.reduce((sum, { tokens }) => sum + tokens, 0);
    figures[`played_${kind}_tokens_max`] = Math.max(...answers.map(({ tokens }) => tokens));
  }
  return figures;
}

/** The number of the user's message with the recorded questions. Later entries repeat the answers. */
const RECORDED_QUESTIONS_AT = 237;

interface ModelQuestion extends PlayedQuestion {
  readonly isAnswered: boolean;
  readonly tokens: number;
}

/** Asks in a copy of the recording that ends with an entry. */
async function askAll(questions: readonly PlayedQuestion[], lastNumber: number): Promise<readonly ModelQuestion[]> {
  const home = mkdtempSync(join(tmpdir(), "pith-questions-"));
  const path = join(home, "session.jsonl");
  const rows = readFileSync(recordingFile("played-rules", "session.jsonl"), "utf8").trim().split("\n");
  const last = rows.findIndex((row) => (JSON.parse(row) as { readonly number?: number }).number === lastNumber);
  writeFileSync(path, `${rows.slice(0, last < 0 ? rows.length : last + 1).join("\n")}\n`);
  const opened = await openStore(path);
  if (opened.type !== "opened") throw new Error(`${path} could not be opened: ${opened.type}`);
  try {
    const session = await Session.open(opened.store, nodeRuntime);
    if (last < 0) await session.append(NEXT_MESSAGE);
    const tool = recallTool({ session, search: sessionSearch(path, { home }), root: "/home/dev/logmill" });
    const answers: ModelQuestion[] = [];
    for (const question of questions) answers.push(await ask(question, tool));
    return answers;
  } finally {
    await opened.store.close();
    rmSync(home, { recursive: true });
  }
}

/** The entries of the current turn are not found. */
const NEXT_MESSAGE = { type: "message", message: { role: "user", content: "Next.", timestamp: 0 } } as const;

async function ask(question: PlayedQuestion, tool: Tool): Promise<ModelQuestion> {
  const result = await runTool(tool, { query: question.query });
  return { ...question, isAnswered: result.includes(question.answer), tokens: textTokens(result) };
}
