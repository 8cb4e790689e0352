/** Writes a session of forty entries of every kind with the real store, and makes copies of its file in which one bit is flipped. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type NewEntry, Session } from "@pith/context";
import { MOVE_TYPE, PIN_TYPE } from "@pith/context/host";
import { createSession, nodeRuntime } from "@pith/context/node";
import { emptyUsage } from "@pith/context/testing";

export interface FortyEntries {
  readonly path: string;
  readonly id: string;
  readonly bytes: Buffer;
}

/** In the home that `PITH_HOME` names, for this folder. */
export async function writeFortyEntries(cwd: string, home: string): Promise<FortyEntries> {
  mkdirSync(cwd, { recursive: true });
  const opened = await createSession({ cwd, env: { PITH_HOME: home } });
  if (opened.type !== "opened") throw new Error(JSON.stringify(opened));
  const { store } = opened;
  const session = await Session.open(store, nodeRuntime);
  const add = async (...drafts: readonly NewEntry[]): Promise<string> => {
    const outcome = await session.append(...drafts);
    if (outcome.type !== "appended") throw new Error(JSON.stringify(outcome));
    return session.leaf ?? "";
  };
  await add({ type: "model_change", provider: "anthropic", modelId: "claude-sonnet-4-5" });
  await add({ type: "thinking_level_change", thinkingLevel: "off" });
  const first = await turn(add, 1);
  await add({ type: "label", targetId: first, label: "Kingfisher begins" });
  const left = await turn(add, 2);
  await session.move(first);
  await add({ type: "branch_summary", fromId: left, summary: "On the other branch Osprey was tried and left." });
  await turn(add, 3);
  await add({ type: "session_info", name: "Heron and the lighthouse" });
  const pinned = await turn(add, 4);
  await add({
    type: "custom",
    customType: PIN_TYPE,
    data: { entryId: pinned, reference: "#1", text: "Pelican stays pinned." },
  });
  await add({ type: "custom", customType: "example.state", data: { word: "Cormorant" } });
  const kept = await turn(add, 5);
  const summary = "## Goal\nBuild the Albatross lighthouse.\n\n## Next Steps\n1. Paint it.";
  await add({ type: "compaction", summary, firstKeptEntryId: kept, tokensBefore: 9_000 });
  await add({ type: "custom_message", customType: "example.note", content: "Gannet was seen.", display: true });
  await turn(add, 6);
  const sixth = session.leaf;
  await add({ type: "label", targetId: kept, label: "Skua" });
  await session.move(sixth);
  await turn(add, 7);
  await store.close();
  const bytes = readFileSync(store.path);
  const lines = bytes.toString().trimEnd().split("\n");
  if (lines.length < 41 || !lines.some((line) => line.includes(`"${MOVE_TYPE}"`)))
    throw new Error(`${lines.length} lines`);
  return { path: store.path, id: store.header.id, bytes };
}

/** A question, a call with its result, and an answer; the id of the question. */
async function turn(add: (...drafts: readonly NewEntry[]) => Promise<string>, number: number): Promise<string> {
  const timestamp = 1_760_000_000_000 + number;
  const speaker = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
  const reply = { role: "assistant", ...speaker, usage: emptyUsage, timestamp } as const;
  const toolCallId = `toolu_${number}`;
  const call = { type: "toolCall", id: toolCallId, name: "read", arguments: { path: `bird-${number}.txt` } } as const;
  const text = (words: string): readonly [{ readonly type: "text"; readonly text: string }] => [
    { type: "text", text: words },
  ];
  const questionId = await add({
    type: "message",
    message: { role: "user", content: text(`Question ${number}: where does the ${birds[number]} nest?`), timestamp },
  });
  await add({ type: "message", message: { ...reply, content: [...text("I look."), call], stopReason: "toolUse" } });
  const content = text(`The ${birds[number]} nests on the cliff number ${number}.`);
  await add({
    type: "message",
    message: { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp },
  });
  await add({
    type: "message",
    message: { ...reply, content: text(`Answer ${number}: on the cliff.`), stopReason: "stop" },
  });
  return questionId;
}

const birds = ["", "kittiwake", "guillemot", "razorbill", "fulmar", "shearwater", "petrel", "puffin"];

/** Puts these bytes in the file's place, as nobody had opened it before. */
export function placeFile({ path }: Pick<FortyEntries, "path">, bytes: Uint8Array): void {
  for (const end of [".damaged", ".bak", ".bak-2"]) rmSync(`${path}${end}`, { force: true });
  rmSync(path.replace(/([^/]+)$/, ".pith/$1"), { recursive: true, force: true });
  rmSync(path.replace(/[^/]+$/, ".pith/list.json"), { force: true });
  writeFileSync(path, bytes);
}

export interface Flip {
  readonly name: string;
  /** Counted from 1, as an editor shows it. */
  readonly line: number;
  readonly bytes: Buffer;
  /** What stands around the flipped bit now, and nowhere in the session before: it must not be seen again. */
  readonly altered: string | null;
}

/** In each line one bit at each of these places: which of the many is up to the seed. */
export function flipsOf(file: Buffer, seed: number): readonly Flip[] {
  const random = randomFrom(seed);
  const flips: Flip[] = [];
  let start = 0;
  for (let line = 1; start < file.length; line++) {
    const end = file.indexOf(0x0a, start);
    const text = file.toString("latin1", start, end);
    for (const [place, from, to] of placesIn(text)) {
      const at = start + from + Math.floor(random() * (to - from));
      flips.push(flipAt(file, { at, bit: Math.floor(random() * 8), line, place }));
    }
    start = end + 1;
  }
  return flips;
}

/** Where words, names and marks stand in a line; the end of the line is its newline. */
function placesIn(text: string): readonly (readonly [place: string, from: number, to: number])[] {
  const spans: [string, RegExp][] = [
    ["text", /"(?:text|content|summary|label|name|modelId|thinkingLevel|word|cwd|customType)":"([^"]+)"/],
    ["id", /"id":"([^"]+)"/],
    ["parentId", /"parentId":"?([^",]+)/],
    ["type", /"type":"([^"]+)"/],
    ["number", /"number":(\d+)/],
    ["checksum", /,"(crc":"[0-9a-f]{8})"/],
  ];
  const found = spans.flatMap(([place, pattern]) => {
    const match = pattern.exec(text);
    const from = match ? match.index + match[0].lastIndexOf(match[1] ?? "") : -1;
    return match ? [[place, from, from + (match[1] ?? "").length] as const] : [];
  });
  return [...found, ["anywhere", 0, text.length], ["newline", text.length, text.length + 1]];
}

interface FlipPlace {
  readonly at: number;
  readonly bit: number;
  readonly line: number;
  readonly place: string;
}

function flipAt(file: Buffer, { at, bit, line, place }: FlipPlace): Flip {
  const bytes = Buffer.from(file);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  const altered = bytes.toString("utf8", Math.max(0, at - AROUND), at + AROUND + 1);
  const isPlain = /^[ -~]+$/.test(altered) && !file.includes(altered);
  return { name: `line ${line}, ${place}, byte ${at}, bit ${bit}`, line, bytes, altered: isPlain ? altered : null };
}

const AROUND = 5;

/** Mulberry32: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
