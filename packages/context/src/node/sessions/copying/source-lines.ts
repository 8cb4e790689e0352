/** A session file as a source to copy from: its header, and its lines one by one. Read as it is now, also while another process writes it. */

import type { Header } from "../../../entry.ts";
import { newHeader } from "../../../session/codec/header.ts";
import { lineText } from "../../../session/codec/line/read-line.ts";
import { type Marks, sealOf } from "../../../session/codec/line/seal.ts";
import { entryText } from "../../../session/codec/line/write-line.ts";
import type { OpenFile } from "../../files/files.ts";
import { FileLines } from "../../jsonl/lines/file-lines.ts";
import { forwards } from "../../jsonl/lines/forwards.ts";
import { type SoundFile, soundFile } from "../../jsonl/lines/sound-file.ts";
import { wholeFile } from "../../jsonl/lines/whole-file.ts";
import type { HomeParts } from "../home.ts";

export interface Source {
  readonly header: Header;
  /** Without seal, exactly as written. */
  readonly headerText: string;
  /** Whether the lines are all of the file: nothing in it is damaged or torn off. */
  readonly isWhole: boolean;
  lines(): Iterable<SourceLine>;
}

export interface SourceLine {
  readonly offset: number;
  /** As they stand in the file; good until the next line is asked for. Null where the line must be written anew. */
  readonly sealed: Uint8Array | null;
  readonly marks: Marks;
  /** Without seal. */
  text(): string;
}

/** A sound file is never held whole; one that is not is read with care, and what was lost is noted in its place. */
export async function sourceLines(file: OpenFile, { ports, limits }: Required<HomeParts>): Promise<Source> {
  const sound = soundFile(file, ports.checksum, limits);
  if (sound && (await isSoundThroughout(sound))) return soundSource(sound);
  const { header, headerText, lines } = wholeFile(file, { checksum: ports.checksum, limits });
  const found = header ?? newHeader({ cwd: "" }, ports);
  const texts = lines.map((line) => () => line.text() ?? entryText(line.entry));
  return {
    header: found,
    headerText: headerText ?? JSON.stringify(found),
    isWhole: false,
    lines: () => texts.map((text) => ({ offset: 0, sealed: null, marks: {}, text })),
  };
}

async function isSoundThroughout(sound: SoundFile): Promise<boolean> {
  const looking = new FileLines(sound).complete();
  for (let step = looking.next(); ; step = looking.next()) {
    if (step.done) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function soundSource(sound: SoundFile): Source {
  const { file, header, rules, start, damage } = sound;
  const first = Buffer.allocUnsafe(start - 1);
  file.read(first, 0);
  return {
    header,
    headerText: lineText(first, rules.ours),
    isWhole: damage.length === 0,
    lines: () => soundLines(sound),
  };
}

function* soundLines({ file, rules, start, end, limits }: SoundFile): Generator<SourceLine> {
  for (const { bytes, offset } of forwards(file, { start, end, limits })) {
    if (bytes.every((byte) => byte <= 0x20)) continue;
    const seal = rules.ours ? sealOf(bytes) : null;
    const text = (): string => lineText(bytes, rules.ours);
    yield { offset, sealed: seal ? bytes : null, marks: seal?.marks ?? {}, text };
  }
}
