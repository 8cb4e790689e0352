/** What every contender has to do: round after round a command, or now and then a file of 2 KB, then a last word. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@pith/testkit";

export const prompt = "Look at the files of this folder, one after the other, and say when you are done.";

/** One request more than there are rounds: the last one gets the last word. */
export function script(rounds: number): Script {
  return ({ number }) => (number > rounds ? "All of them are read." : { parts: [call(number)] });
}

export function writeFiles(folder: string): void {
  for (let at = 0; at < FILES; at += 1) writeFileSync(join(folder, name(at)), text(at));
}

const FILES = 40;
const BYTES = 2_048;
/** Fewer than half, so that the middle one of all rounds is one of the same kind each time. */
const READ_EVERY = 3;

function call(round: number) {
  const path = name(round % FILES);
  if (round % READ_EVERY === 0) return { type: "call", name: "read", arguments: { path } } as const;
  return { type: "call", name: "bash", arguments: { command: `echo round ${round}; head -c 1500 ${path}` } } as const;
}

function name(at: number): string {
  return `file-${at}.txt`;
}

function text(at: number): string {
  const line = `Line of file ${at}: what stands here says nothing, but it is as long as a line is.\n`;
  return line.repeat(Math.ceil(BYTES / line.length)).slice(0, BYTES);
}
