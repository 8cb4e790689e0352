/** Searching with ripgrep, told to find what our own walk finds: whatever the user's settings for it are, and always in the same order. */

import type { SearchAct } from "../../../workspace.ts";
import {
  ACROSS_LINES,
  badPattern,
  decoded,
  type Engine,
  type GrepTarget,
  LARGEST_MEGABYTES,
  type Searched,
} from "../engine.ts";
import { escaped } from "../escaped.ts";
import { nameGlob } from "../globs/glob.ts";
import { outerRules } from "../walking/ignore-rules.ts";
import { FileDraft } from "./file-draft.ts";
import { ripgrepRecords } from "./ripgrep-records.ts";
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
  { program, folder }: { program: string; folder: string },
  act: Pick<SearchAct, "signal">,
): AsyncGenerator<Buffer> {
  const options = [...OPTIONS, ...(await parents(folder)), "--files", "--null"];
  const { output, complaint } = startRipgrep({ program, options, folder, ...act });
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
  const running = startRipgrep({ ...target, options, ...act });
  let file: FileDraft | null = null;
  for await (const record of ripgrepRecords(running.output)) {
    switch (record.type) {
      case "begin":
        file = draftOf(withoutDot(record.path), target);
        break;
      case "line":
        await file?.add(record.line);
        if (file && file.count > act.most) return yield { type: "file", hits: file.hits };
        break;
      case "end":
        if (file && !record.isBinary) yield { type: "file", hits: file.hits };
        break;
      case "summary":
        return;
    }
  }
  yield refused(running.complaint());
}

function draftOf(path: Buffer, { folder, fits }: GrepTarget): FileDraft | null {
  return fits && !fits(decoded(path)) ? null : new FileDraft(folder, path);
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
    `--regexp=(?:${isLiteral ? escaped(pattern) : pattern}).*`,
    ...(ignoresCase ? ["--ignore-case"] : []),
    // As a glob of ripgrep's it would let in what is ignored; as a type it does not.
    ...(name === null || file ? [] : [`--type-add=wished:${name}`, "--type=wished"]),
  ];
}

/** A folder that is ignored itself is searched if it is named. */
async function parents(folder: string): Promise<readonly string[]> {
  return (await outerRules(folder)) === "ignored" ? ["--no-ignore-parent"] : [];
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
