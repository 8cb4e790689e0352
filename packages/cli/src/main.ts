/** From the command line to an exit code. */

import { build } from "./build.ts";
import { help } from "./help.ts";
import { print, type Streams } from "./print.ts";
import { readArguments } from "./wish.ts";

const streams: Streams = {
  out: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
};

export async function main(args: readonly string[]): Promise<number> {
  const read = readArguments(args);
  if (read.type === "help") return said(help, 0);
  if (read.type === "mistake") return mistaken(read.message, 2);
  const built = await build(read.wish, { cwd: process.cwd(), environment: process.env });
  if (built.type === "failed") return mistaken(built.message, 2);
  const { agent, notes, close } = built;
  for (const note of notes) streams.note(`pith: ${note}\n`);
  process.once("SIGINT", () => agent.abort());
  const end = await print(agent, read.wish.prompt, streams).finally(close);
  if (end.type === "failed") return mistaken(end.why, 1);
  return end.type === "aborted" ? 130 : 0;
}

function said(text: string, code: number): number {
  streams.out(`${text}\n`);
  return code;
}

function mistaken(message: string, code: number): number {
  streams.note(`pith: ${message}\n`);
  return code;
}
