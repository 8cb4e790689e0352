/** Damage with the numbers of its lines, as an editor shows them: a file is opened without counting, and few want to know. */

import type { Damage } from "../../../session/codec/damage.ts";
import type { OpenFile } from "../../files/files.ts";
import type { SoundFile } from "./sound-file.ts";

export function numbered({ damage, file, start }: Pick<SoundFile, "damage" | "file" | "start">): readonly Damage[] {
  let line = 2;
  let at = start;
  return damage.map((each) => {
    line += lineEnds(file, at, each.offset);
    at = each.offset;
    return { ...each, line };
  });
}

function lineEnds(file: OpenFile, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += STEP) {
    const chunk = Buffer.alloc(Math.min(STEP, end - at));
    file.read(chunk, at);
    for (let found = chunk.indexOf(LINE_END); found !== -1; found = chunk.indexOf(LINE_END, found + 1)) count++;
  }
  return count;
}

const STEP = 1024 * 1024;
const LINE_END = 0x0a;
