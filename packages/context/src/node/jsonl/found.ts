/** What a look at a session's file finds: its lines, whose they are, what is wrong with them, what the first append must put right. */

import type { Header } from "../../entry.ts";
import type { FormatLimits } from "../../limits.ts";
import type { Ports } from "../../ports.ts";
import type { Damage } from "../../session/codec/damage.ts";
import { newHeader } from "../../session/codec/header.ts";
import type { SessionFile } from "../../session/codec/session-file.ts";
import { HeldLines } from "../../session/held-lines.ts";
import { FileLines } from "./lines/file-lines.ts";
import { numbered } from "./lines/numbered.ts";
import { type SoundFile, soundFile } from "./lines/sound-file.ts";
import { wholeFile } from "./lines/whole-file.ts";
import type { LogFile } from "./writing/log-file.ts";

export interface Found {
  /** Read when asked for, if the file is sound; all in memory, if it had to be read with care. */
  readonly lines: FileLines | HeldLines;
  readonly header: Header;
  /** Whether its lines carry a seal. */
  readonly ours: boolean;
  /** Asked for by few: to say in which line something is wrong, all before it must be counted. */
  readonly damage: () => readonly Damage[];
  /** Null where anything can be appended as it is. */
  readonly unready: Unready | null;
}

export type Unready =
  /** What lies behind `end` was torn. */
  { readonly type: "torn"; readonly end: number } | { readonly type: "whole"; readonly file: SessionFile };

export interface LookParts {
  readonly ports: Pick<Ports, "now" | "sessionId" | "checksum">;
  readonly limits: FormatLimits;
}

export function foundIn(log: LogFile, parts: LookParts): Found {
  const sound = soundFile(log.file, parts.ports.checksum, parts.limits);
  if (!sound) return foundWhole(log, parts);
  const { header, rules } = sound;
  return {
    lines: new FileLines(sound),
    header,
    ours: rules.ours,
    damage: once(() => numbered(sound)),
    unready: tornBehind(sound, log),
  };
}

/** Every line looked at: for a file that is not sound, or turned out not to be. */
export function foundWhole(log: LogFile, { ports, limits }: LookParts): Found {
  const file = wholeFile(log.file, { checksum: ports.checksum, limits });
  const { header, ours, damage, lines } = file;
  return {
    lines: new HeldLines(lines),
    header: header ?? newHeader({ cwd: "" }, ports),
    ours,
    damage: () => damage,
    unready: { type: "whole", file },
  };
}

/** The same session after another hand has added to it. */
export function foundGrown(before: Found, log: LogFile, parts: LookParts): Found {
  const { lines } = before;
  const sound = lines instanceof FileLines ? soundFile(log.file, parts.ports.checksum, parts.limits) : null;
  if (!sound || !(lines instanceof FileLines)) return foundWhole(log, parts);
  lines.grownTo(sound);
  return { ...before, damage: once(() => numbered(sound)), unready: tornBehind(sound, log) };
}

function tornBehind({ end }: SoundFile, { size }: LogFile): Unready | null {
  return end < size ? { type: "torn", end } : null;
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
