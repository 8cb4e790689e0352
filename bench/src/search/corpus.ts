/** Writes thousands of generated sessions of different lengths, in which a few words are frequent and most are rare. */

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeRuntime, sessionFolderName } from "@pith/context/node";
import { encodeSession } from "@pith/context/store";
import { createRandom, type Random, randomInteger } from "../random.ts";

/** Picks a word by Zipf's law: the n-th most frequent word is n times rarer than the first. */
export function randomWord(random: Random): string {
  return wordOfRank(Math.floor(Math.exp(random() * Math.log(VOCABULARY))) - 1);
}

export function wordOfRank(rank: number): string {
  const commonWord = COMMON_WORDS[rank];
  if (commonWord !== undefined) return commonWord;
  let remainder = rank;
  let word = "";
  do {
    word += SYLLABLES[remainder % SYLLABLES.length];
    remainder = Math.floor(remainder / SYLLABLES.length);
  } while (remainder > 0);
  return word;
}

export function randomWords(random: Random, count: number): string {
  let text = randomWord(random);
  for (let index = 1; index < count; index++) text += (index % 11 === 0 ? "\n" : " ") + randomWord(random);
  return text;
}

/** Makes a name such as `requestParser` from less frequent words. */
export function randomIdentifier(random: Random): string {
  const second = wordOfRank(randomInteger(random, COMMON_WORDS.length, 4_000));
  return `${wordOfRank(randomInteger(random, 20, 2_000))}${second[0]?.toUpperCase()}${second.slice(1)}`;
}

export function randomPath(random: Random): string {
  const part = (): string => wordOfRank(randomInteger(random, 30, 900));
  return `src/${part()}/${part()}-${part()}.ts`;
}

/** Chinese characters without spaces, some much more frequent than others. */
export function randomCharacters(random: Random, count: number): string {
  let text = "";
  for (let index = 0; index < count; index++)
    text +=
      index % 17 === 16
        ? "。"
        : String.fromCodePoint(FIRST_CHARACTER + Math.floor(Math.exp(random() * Math.log(3_000))));
  return text;
}

const VOCABULARY = 60_000;
const FIRST_CHARACTER = 0x4e00;
const SYLLABLES =
  "ka to rel mi san do vex lin par us ber qui nor tal fen gri mos wyn dak pel hun zor cle bri oma tes vin lor ash ken".split(
    " ",
  );
const COMMON_WORDS =
  "the of to and in is for a with that const import return it error file from not this test export if value function string line path be on as src name when was type let new node true null expected received at module data request response user session config build run failed passed found read write open close index table list item key token cache worker queue event parser stream buffer server client timeout retry connection database query result merge branch commit change update remove create start stop check".split(
    " ",
  );

export interface CorpusShape {
  readonly sessions: number;
  readonly bytes: number;
  readonly seed: number;
}

/** Writes the sessions into a home folder. Returns the number of bytes. */
export function writeCorpus(home: string, { sessions, bytes, seed }: CorpusShape): number {
  const randomSource = createRandom(seed);
  let writtenBytes = 0;
  for (let index = 0; index < sessions; index++) {
    const folder = join(home, "sessions", sessionFolderName(`/code/project-${index % FOLDER_COUNT}`));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const averageBytes = (bytes - writtenBytes) / (sessions - index);
    const file = encodeSession(
      [...generateSession(randomSource, index, averageBytes * (0.2 + randomSource() * 1.6))],
      nodeRuntime.checksum,
    );
    const startTime = new Date(START_TIME + index * HOUR);
    const filePath = join(folder, `${startTime.toISOString().replace(/[:.]/g, "-")}_session-${index}.jsonl`);
    writeFileSync(filePath, file, { mode: 0o600 });
    // Most sessions are old; the last ones are new.
    if (index < sessions - RECENT_COUNT) utimesSync(filePath, startTime, startTime);
    writtenBytes += file.length;
  }
  return writtenBytes;
}

/** Generates the lines of a session of about the given size. */
function* generateSession(random: Random, number: number, bytes: number): Generator<string> {
  const formatTime = (index: number): string => new Date(START_TIME + number * HOUR + index * 7_000).toISOString();
  const header = { type: "session", version: 3, id: `session-${number}`, timestamp: formatTime(0), cwd: "/code" };
  yield JSON.stringify({ ...header, pith: { format: 1 } });
  let length = 0;
  for (let index = 1; length < bytes || index % 4 !== 1; index++) {
    const entryFields = {
      id: `e${number}x${index}`,
      parentId: index === 1 ? null : `e${number}x${index - 1}`,
      timestamp: formatTime(index),
    };
    const line = JSON.stringify({ type: "message", ...entryFields, message: createMessage(random, index) });
    length += line.length;
    yield line;
  }
}

function createMessage(random: Random, index: number): object {
  const timestamp = START_TIME + index;
  if (index % 4 === 1) return { role: "user", content: [createTextBlock(makeRequest(random))], timestamp };
  if (index % 4 === 3)
    return {
      role: "toolResult",
      toolCallId: `c${index - 1}`,
      toolName: "read",
      content: [createTextBlock(makeOutput(random))],
      isError: false,
      timestamp,
    };
  const call = {
    type: "toolCall",
    id: `c${index}`,
    name: "read",
    arguments: { path: randomPath(random), symbol: randomIdentifier(random) },
  };
  const textBlock = createTextBlock(randomWords(random, randomInteger(random, 30, 160)));
  return { role: "assistant", content: index % 4 === 2 ? [textBlock, call] : [textBlock], ...MODEL, timestamp };
}

const createTextBlock = (value: string): object => ({ type: "text", text: value });

function makeRequest(random: Random): string {
  const request = `${randomWords(random, randomInteger(random, 10, 90))} ${randomPath(random)}`;
  return random() < 0.08 ? `${request} ${randomCharacters(random, randomInteger(random, 10, 60))}` : request;
}

function makeOutput(random: Random): string {
  const lines = Array.from({ length: randomInteger(random, 10, 90) }, (_, line) => {
    const name = random() < 0.2 ? randomIdentifier(random) : "";
    const sourcePath = random() < 0.1 ? randomPath(random) : "";
    return `${line} ${randomWords(random, randomInteger(random, 4, 10))} ${name}(${Math.floor(random() * 1e6)}) ${sourcePath}`;
  });
  return lines.join("\n");
}

const FOLDER_COUNT = 50;
const RECENT_COUNT = 50;
const HOUR = 3_600_000;
const START_TIME = Date.UTC(2026, 0, 1);
const MODEL = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5", stopReason: "stop" };
