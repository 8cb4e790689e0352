/** Writes thousands of made-up sessions of different lengths, in which a few words are frequent and most are rare. */

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeRuntime, sessionFolderName } from "@pith/context/node";
import { encodeSession } from "@pith/context/store";
import { between, type Random, random } from "../random.ts";

/** One word; the n-th most frequent comes about n times less often than the first. */
export function word(next: Random): string {
  return wordOfRank(Math.floor(Math.exp(next() * Math.log(VOCABULARY))) - 1);
}

export function wordOfRank(rank: number): string {
  const usual = USUAL[rank];
  if (usual !== undefined) return usual;
  let rest = rank;
  let made = "";
  do {
    made += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return made;
}

export function words(next: Random, count: number): string {
  let text = word(next);
  for (let at = 1; at < count; at++) text += (at % 11 === 0 ? "\n" : " ") + word(next);
  return text;
}

/** `requestParser`, of words that are not among the most frequent. */
export function identifier(next: Random): string {
  const second = wordOfRank(between(next, USUAL.length, 4_000));
  return `${wordOfRank(between(next, 20, 2_000))}${second[0]?.toUpperCase()}${second.slice(1)}`;
}

export function path(next: Random): string {
  const part = (): string => wordOfRank(between(next, 30, 900));
  return `src/${part()}/${part()}-${part()}.ts`;
}

/** Signs without spaces between them, again some far more often than others. */
export function signs(next: Random, count: number): string {
  let text = "";
  for (let at = 0; at < count; at++)
    text += at % 17 === 16 ? "。" : String.fromCodePoint(FIRST_SIGN + Math.floor(Math.exp(next() * Math.log(3_000))));
  return text;
}

const VOCABULARY = 60_000;
const FIRST_SIGN = 0x4e00;
const SYLLABLES =
  "ka to rel mi san do vex lin par us ber qui nor tal fen gri mos wyn dak pel hun zor cle bri oma tes vin lor ash ken".split(
    " ",
  );
const USUAL =
  "the of to and in is for a with that const import return it error file from not this test export if value function string line path be on as src name when was type let new node true null expected received at module data request response user session config build run failed passed found read write open close index table list item key token cache worker queue event parser stream buffer server client timeout retry connection database query result merge branch commit change update remove create start stop check".split(
    " ",
  );

export interface CorpusShape {
  readonly sessions: number;
  readonly bytes: number;
  readonly seed: number;
}

/** Writes them into the sessions of this home; how many bytes that were. */
export function writeCorpus(home: string, { sessions, bytes, seed }: CorpusShape): number {
  const next = random(seed);
  let written = 0;
  for (let at = 0; at < sessions; at++) {
    const folder = join(home, "sessions", sessionFolderName(`/code/project-${at % FOLDERS}`));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const left = (bytes - written) / (sessions - at);
    const file = encodeSession([...session(next, at, left * (0.2 + next() * 1.6))], nodeRuntime.checksum);
    const began = new Date(BEGINS + at * HOUR);
    const path = join(folder, `${began.toISOString().replace(/[:.]/g, "-")}_session-${at}.jsonl`);
    writeFileSync(path, file, { mode: 0o600 });
    // Most sessions of a pile are old; the last ones were written just now.
    if (at < sessions - RECENT) utimesSync(path, began, began);
    written += file.length;
  }
  return written;
}

/** The lines of one session of about this many bytes. */
function* session(next: Random, number: number, bytes: number): Generator<string> {
  const time = (at: number): string => new Date(BEGINS + number * HOUR + at * 7_000).toISOString();
  const header = { type: "session", version: 3, id: `session-${number}`, timestamp: time(0), cwd: "/code" };
  yield JSON.stringify({ ...header, pith: { format: 1 } });
  let length = 0;
  for (let at = 1; length < bytes || at % 4 !== 1; at++) {
    const placed = { id: `e${number}x${at}`, parentId: at === 1 ? null : `e${number}x${at - 1}`, timestamp: time(at) };
    const line = JSON.stringify({ type: "message", ...placed, message: message(next, at) });
    length += line.length;
    yield line;
  }
}

function message(next: Random, at: number): object {
  const timestamp = BEGINS + at;
  if (at % 4 === 1) return { role: "user", content: [text(asked(next))], timestamp };
  if (at % 4 === 3)
    return {
      role: "toolResult",
      toolCallId: `c${at - 1}`,
      toolName: "read",
      content: [text(output(next))],
      isError: false,
      timestamp,
    };
  const call = {
    type: "toolCall",
    id: `c${at}`,
    name: "read",
    arguments: { path: path(next), symbol: identifier(next) },
  };
  const said = text(words(next, between(next, 30, 160)));
  return { role: "assistant", content: at % 4 === 2 ? [said, call] : [said], ...MODEL, timestamp };
}

const text = (value: string): object => ({ type: "text", text: value });

function asked(next: Random): string {
  const request = `${words(next, between(next, 10, 90))} ${path(next)}`;
  return next() < 0.08 ? `${request} ${signs(next, between(next, 10, 60))}` : request;
}

function output(next: Random): string {
  const lines = Array.from({ length: between(next, 10, 90) }, (_, line) => {
    const name = next() < 0.2 ? identifier(next) : "";
    const place = next() < 0.1 ? path(next) : "";
    return `${line} ${words(next, between(next, 4, 10))} ${name}(${Math.floor(next() * 1e6)}) ${place}`;
  });
  return lines.join("\n");
}

const FOLDERS = 50;
const RECENT = 50;
const HOUR = 3_600_000;
const BEGINS = Date.UTC(2026, 0, 1);
const MODEL = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5", stopReason: "stop" };
