/** What the pages of the docs name, in the places where they name everything. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

export function documented(docs: string): ReadonlySet<string> {
  const page = (name: string): string => readFileSync(join(docs, name), "utf8");
  return new Set([
    ...inCommands(page("commands.md")),
    ...inSettings(page("settings.md")),
    ...inEvents(page("events.md")),
    ...named(page("rpc.md"), "rpc-commands", "rpc "),
    ...named(page("extensions.md"), "extension-events", "hook "),
  ]);
}

/** Flags in the help of `pith` itself; a heading for each subcommand, and rows for its flags; rows for the commands. */
function* inCommands(page: string): Generator<string> {
  const common = /Each has `(--help)`[^.]*`(--json)`/.exec(page)?.slice(1) ?? [];
  for (const text of page.split(/^#{2,3} /m).slice(1)) {
    const [name = ""] = text.split("\n", 1);
    if (name === "pith") yield* found(text, /^ {2,6}(?:-[a-z], )?(--[a-z-]+)/gm, "flag ");
    if (name.startsWith("pith ")) {
      yield `subcommand ${name}`;
      yield* common.map((flag) => `subcommand ${name} ${flag}`);
      yield* found(text, /^\| `(?:-[a-z], )?(--[a-z-]+)/gm, `subcommand ${name} `);
    }
    for (const [row] of text.matchAll(/^\| `\/[^|]*\|/gm)) yield* found(row, /`(\/[a-z]+)/g, "command ");
  }
}

function found(text: string, shape: RegExp, before: string): readonly string[] {
  return Array.from(text.matchAll(shape), ([, name]) => `${before}${name}`);
}

function inSettings(page: string): readonly string[] {
  return found(generated(page, "settings") + generated(page, "settings-overrides"), /^\| `([\w.*]+)` \|/gm, "setting ");
}

function inEvents(page: string): readonly string[] {
  return named(page, "events", "event ");
}

/** The first column of a table. */
function named(page: string, table: string, before: string): readonly string[] {
  return found(generated(page, table), /^\| `([a-z_]+)` \|/gm, before);
}

/** The part of a page that is made from a table of the program. */
function generated(page: string, name: string): string {
  return page.split(`<!-- generated: ${name} -->`)[1]?.split("<!-- end -->")[0] ?? "";
}
