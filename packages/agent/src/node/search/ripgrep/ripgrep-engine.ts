/** Searching with ripgrep, told to find what our own walk finds: whatever the user's settings for it are, and always in the same order. */

import { nameGlob } from "../../../globs/glob.ts";
import type { SearchAct } from "../../../workspace.ts";
import {
  ACROSS_LINES,
  badPattern,
  decoded,
  type Engine,
  type GrepTarget,
  LARGEST_MEGABYTES,
  pathIn,
  type Searched,
  type SearchedFolder,
} from "../engine.ts";
import { literalPattern } from "../literal-pattern.ts";
import { outerRules } from "../walking/ignore-rules.ts";
import { FileDraft } from "./file-draft.ts";
import { ripgrepRecords } from "./ripgrep-records.ts";
import { openSource } from "./source.ts";
import { startRipgrep } from "./start-ripgrep.ts";

export function ripgrepEngine(program: string): Engine {
  return {
    files: (folder, act) => files({ program, folder }, act),
    grep: (target, act) => grep({ program, ...target }, act),
  };
}

const OPTIONS = [
  "--no-config",
  "--no-messages",
  "--hidden",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--no-ignore-dot",
  "--glob=!.git",
  "--path-separator=/",
];

async function* files(
  { program, folder }: { program: string; folder: SearchedFolder },
  act: Pick<SearchAct, "signal">,
): AsyncGenerator<Buffer> {
  const options = [...OPTIONS, ...(await parents(folder)), "--files", "--null"];
  const { output, complaint } = startRipgrep({ program, options, folder: folder.at, ...act });
  let rest = Buffer.alloc(0);
  for await (const chunk of output) {
    const seen = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = seen.indexOf(0); end >= 0; end = seen.indexOf(0, start)) {
      yield withoutDot(seen.subarray(start, end));
      start = end + 1;
    }
    rest = seen.subarray(start);
  }
  if (complaint() !== "") throw new Error(failure(complaint()));
}

interface RipgrepTarget extends GrepTarget {
  readonly program: string;
}

async function* grep(target: RipgrepTarget, act: SearchAct): AsyncGenerator<Searched> {
  const options = [...OPTIONS, ...(await parents(target.folder)), ...grepOptions(target)];
  const running = startRipgrep({ ...target, folder: target.folder.at, options, ...act });
  let file: FileDraft | null = null;
  try {
    for await (const record of ripgrepRecords(running.output)) {
      switch (record.type) {
        case "begin":
          file = await draftOf(withoutDot(record.path), target);
          break;
        case "line":
          await file?.add(record.line);
          if (file && file.count > act.most) return yield { type: "file", hits: file.hits };
          break;
        case "end":
          await file?.close();
          if (file && !record.isBinary) yield { type: "file", hits: file.hits };
          file = null;
          break;
        case "summary":
          return;
      }
    }
  } finally {
    await file?.close();
  }
  yield refused(running.complaint());
}

/** Null where it is not wanted, or lies no more where it was found. */
async function draftOf(path: Buffer, { folder, fits, redaction }: GrepTarget): Promise<FileDraft | null> {
  const shown = decoded(path);
  if (fits && !fits(shown)) return null;
  const source = await openSource({ real: pathIn(folder.real, path), at: pathIn(folder.at, path) });
  return source && new FileDraft(shown, source, { redaction });
}

function grepOptions({ pattern, isLiteral, ignoresCase, around = 0, glob, file }: GrepTarget): readonly string[] {
  const name = glob === undefined ? null : nameGlob(glob);
  return [
    "--json",
    "--sort=path",
    "--no-mmap",
    "--crlf",
    `--context=${around}`,
    `--max-filesize=${LARGEST_MEGABYTES}M`,
    // To the end of the line: of a line with a million hits all would be told.
    `--regexp=(?:${isLiteral ? literalPattern(pattern) : pattern}).*`,
    ...(ignoresCase ? ["--ignore-case"] : []),
    // As a glob of ripgrep's it would let in what is ignored; as a type it does not.
    ...(name === null || file ? [] : [`--type-add=wished:${name}`, "--type=wished"]),
  ];
}

/** A folder that is ignored itself is searched if it is named. */
async function parents({ real }: SearchedFolder): Promise<readonly string[]> {
  return (await outerRules(real)) === "ignored" ? ["--no-ignore-parent"] : [];
}

function withoutDot(path: Buffer): Buffer {
  return path.subarray("./".length);
}

function refused(complaint: string): Searched {
  const why = /^error: (.+)$/m.exec(complaint)?.[1];
  if (why !== undefined) return badPattern(why);
  if (complaint.includes("not allowed in a regex")) return badPattern(ACROSS_LINES);
  return { type: "refused", message: failure(complaint) };
}

function failure(complaint: string): string {
  return `the search failed: ${complaint.trim().split("\n")[0] || "ripgrep ended early"}`;
}
