/** Defines the task that fills a context: its files, and a script that answers working requests and requests for a summary. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script, Step } from "@pith/testkit";
import { createRandom } from "../random.ts";
import { createTextSource } from "../texts.ts";

export interface TaskShape {
  readonly rounds: number;
  /** The size of each tool result. */
  readonly resultBytes: number;
  /** The number of lines in each section of a summary. */
  readonly summaryLines: number;
}

/** A request is for work if the model is to continue the task, and otherwise for a summary. */
export type RequestKind = "work" | "summary";

export interface ScriptedTask {
  readonly script: Script;
  /** One for each request that reached the script, in order. */
  readonly kinds: readonly RequestKind[];
}

/**
 * Answers each round with a command and the last one with a text. A request for work has the result of the last command. Any other request
 * is for a summary, whether it has its own prompt or repeats an earlier request and adds an instruction.
 */
export function createTask({ rounds, summaryLines }: TaskShape): ScriptedTask {
  const kinds: RequestKind[] = [];
  let round = 0;
  const script: Script = ({ body }): Step => {
    const isWork = round === 0 || (round <= rounds && hasResult(body, callId(round)));
    kinds.push(isWork ? "work" : "summary");
    if (!isWork) return writeSummary(findLastText(body), summaryLines);
    round += 1;
    if (round > rounds) return "All of them are read.";
    return {
      parts: [{ type: "call", id: callId(round), name: "bash", arguments: { command: `cat ${fileName(round)}` } }],
    };
  };
  return { script, kinds };
}

function callId(round: number): string {
  return `toolu_${String(round).padStart(4, "0")}`;
}

/** Anthropic names the call of a result `tool_use_id`, OpenAI `call_id`. */
function hasResult({ messages, input }: RequestBody, id: string): boolean {
  const blocks = ((messages ?? input) as readonly RequestBody[]).flatMap(({ content, ...message }) =>
    Array.isArray(content) ? (content as readonly RequestBody[]) : [message],
  );
  return blocks.some(
    ({ tool_use_id, type, call_id }) => id === (type === "function_call_output" ? call_id : tool_use_id),
  );
}

type RequestBody = Readonly<Record<string, unknown>>;

function findLastText(body: RequestBody): string {
  const { text, content } = findLastBlock(body);
  return String(text ?? content ?? "");
}

/** Finds the last block of the last message: Anthropic calls the messages `messages`, OpenAI `input`. */
function findLastBlock({ messages, input }: RequestBody): RequestBody {
  const lastMessage = ((messages ?? input) as readonly RequestBody[]).at(-1) ?? {};
  return Array.isArray(lastMessage.content) ? (lastMessage.content.at(-1) ?? {}) : lastMessage;
}

/** Fills the sections that the prompt asks for, so that no program asks for a correction. */
function writeSummary(prompt: string, lineCount: number): string {
  const headings = prompt.slice(-PROMPT_LENGTH).match(/^(#{2,3} .+|\*\*Turn Context \(split turn\):\*\*)$/gm) ?? [];
  const lines = Array.from({ length: lineCount }, (_, index) => `- ${SUMMARY_LINES[index % SUMMARY_LINES.length]}`);
  return [...new Set(headings)]
    .map((heading) => (heading.startsWith("#") ? [heading, ...lines, ""] : ["---", heading, ""]).join("\n"))
    .join("\n");
}

/** Summary prompts are at the end of a request and shorter than this. */
const PROMPT_LENGTH = 8_000;
const SUMMARY_LINES = [
  "the files of the folder are read one after the other with cat",
  "every line begins with its number, and the words after it have no meaning",
  "no file has had to be changed so far",
  "the next file is read until all of them are done",
];

export function writeTaskFiles(folder: string, { rounds, resultBytes }: TaskShape, seed: number): void {
  const makeText = createTextSource(createRandom(seed), undefined);
  for (let round = 1; round <= rounds; round += 1) {
    const lines = Array.from({ length: Math.floor(resultBytes / LINE_LENGTH) }, (_, index) => {
      const words = makeText(LINE_LENGTH).replaceAll("\n", " ");
      return `${`L${round}-${index} ${words}`.slice(0, LINE_LENGTH - 1)}\n`;
    });
    writeFileSync(join(folder, fileName(round)), lines.join(""));
  }
}

function fileName(round: number): string {
  return `file-${round}.txt`;
}

/** The length of a line of the files, with its line end. */
export const LINE_LENGTH = 100;

/** Finds the lines of the task's files that a request shows, by their numbers. */
export function findShownLines(body: unknown): ReadonlySet<string> {
  return new Set(JSON.stringify(body).match(/L\d+-\d+ /g) ?? []);
}
