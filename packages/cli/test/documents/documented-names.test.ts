/** The table of names in docs/sources.md: none of the documents' names is missing, and what it says is here exists. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as agent from "@pith/agent";
import * as context from "@pith/context";
import * as host from "@pith/context/host";
import * as node from "@pith/context/node";
import * as models from "@pith/models";
import { commands, flags, settingTable } from "pith/tables";
import { expect, test } from "vitest";
import { checkTypes, sourceDocuments, sourceSamples } from "./source-samples.ts";

interface Row {
  readonly names: readonly string[];
  readonly kind: string;
  readonly here: string;
  readonly note: string;
}

function readTable(): readonly Row[] {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/sources.md"), "utf8");
  const [, part = ""] = page.split("| name | kind | here | note |\n|---|---|---|---|\n");
  return (part.split("\n\n")[0] ?? "").split("\n").map((line) => {
    const [, names = "", kind = "", here = "", note = ""] = line.split("|").map((cell) => cell.trim());
    return { names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name), kind, here, note };
  });
}

const rows = readTable();

/** What each kind of name looks like in the documents. */
const shapes: Readonly<Record<string, RegExp>> = {
  "calls of two words": /(?<![\w$])(_?[a-z]\w*[A-Z]\w*)(?=\()/g,
  "calls of nothing": /(?<![\w$.])([a-z]+)(?=\(\))/g,
  methods: /\.([a-z]\w*)(?=\()/g,
  types: /\b([A-Z][a-z]+(?:[A-Z][a-z]+)+)\b/g,
  interfaces: /^(?:export )?interface (\w+)/gm,
  constants: /(?<![[\w])([A-Z]+(?:_[A-Z]+)+)\b/g,
  "events and entries": /(?<![[{.\w$])([a-z]+(?:_[a-z]+)+)\b(?!\.)/g,
  "kinds of entries": /^ *type: "(\w+)"/gm,
  commands: /(?:(?<![\w./~<>*-])|(?<=`))(\/[a-z]{3,})\b(?![/.\w])/g,
  flags: /(?<![\w-])(--[a-z][a-z-]+)/g,
  "names in code font": /`([a-z]+[A-Z]\w*)`/g,
  "fields of preparations": /\bpreparation\.(\w+)/g,
  settings: /`(compaction\.\w+)`/g,
};

/** Without the part of 003 that is about other programs, and with the spaces that 001 has lost behind file names. */
const texts = sourceDocuments.map((text) =>
  text.slice(Math.max(0, text.indexOf("## Implementation Recommendations"))).replace(/\.ts(?=[a-z_])/g, ".ts "),
);

/** As a call or a word names it: `event.setResult` is `setResult`. */
const known = new Set(rows.flatMap(({ names }) => names.flatMap((name) => [name, name.split(".").at(-1) ?? name])));

test.each(Object.entries(shapes))("SRC4 the table contains all %s that the documents name", (_, shape) => {
  const named = new Set(texts.flatMap((text) => Array.from(text.matchAll(shape), ([, name = ""]) => name)));
  expect(named.size).toBeGreaterThan(0);
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
});

test("SRC4 the table contains the settings in the documents' example files", () => {
  const files = sourceSamples().filter(({ code }) => /^\{\n/.test(code));
  const keys = files.flatMap(({ code }) => Array.from(code.matchAll(/^ {4}"(\w+)":/gm), ([, key]) => key));
  expect(new Set(keys)).toEqual(new Set(["enabled", "reserveTokens", "keepRecentTokens"]));
  for (const key of keys) expect(known).toContain(`compaction.${key}`);
});

test("SRC4 every name in the table is used in the documents", () => {
  const all = sourceDocuments.join("\n");
  const names = rows.flatMap((row) => row.names).map((name) => name.split(".").at(-1) ?? name);
  expect(names.filter((name) => !all.includes(name))).toEqual([]);
});

const doors: Readonly<Record<string, object>> = {
  "@pith/context": context,
  "@pith/context/host": host,
  "@pith/context/node": node,
  "@pith/agent": agent,
  "@pith/models": models,
};

const kinds = ["function", "constant", "type", "field", "entry", "setting", "command", "flag", "event", "other"];

/** `door` with the same name, `door` and another name, or a member of a type. */
const HERE = /^`(?:(@[\w/]+)`(?: `(\w+)`)?|([A-Z]\w+)(?:\.(\w+))?`)$/;

test("SRC4 every row has a kind, and either a place or a reason why there is none", () => {
  for (const { names, kind, here, note } of rows) {
    expect(names.length, here).toBeGreaterThan(0);
    expect(kinds).toContain(kind);
    if (here === "not built" || kind === "other") expect(note, names.join()).not.toBe("");
    else if (["function", "constant", "type", "field", "entry"].includes(kind)) expect(here).toMatch(HERE);
  }
});

test("SRC4 functions and constants marked as present are exported", () => {
  const exported = rows.flatMap(({ names, kind, here }) => {
    const [, door, other] = HERE.exec(here) ?? [];
    if (door === undefined || !["function", "constant"].includes(kind)) return [];
    return names.map((name) => ({ door, name: other ?? name }));
  });
  expect(exported.length).toBeGreaterThan(15);
  const missing = exported.filter(({ door, name }) => !(name in (doors[door] ?? {})));
  expect(missing).toEqual([]);
});

test("SRC4 settings, commands, flags and events marked as present are in the program's tables", () => {
  const there: Readonly<Record<string, readonly string[]>> = {
    setting: settingTable.map(({ name }) => name),
    command: commands.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((each) => `/${each}`)),
    flag: Object.keys(flags).map((name) => `--${name}`),
    event: Object.keys(agent.extensionEventTable),
  };
  for (const { names, kind } of rows) for (const name of there[kind] ? names : []) expect(there[kind]).toContain(name);
});

test("SRC4 types, fields, methods and entries marked as present compile", () => {
  const lines = rows.flatMap(({ names, kind, here }) => {
    const [, door, other, type, member] = HERE.exec(here) ?? [];
    if (kind === "type" && door !== undefined) return names.map((name) => `import("${door}").${other ?? name}`);
    if (kind === "entry") return names.map((name) => `import("@pith/context").Entry & { type: "${name}" }`);
    if (type === undefined || kind === "other") return [];
    return names.map((name) => `import("${doorOf(type)}").${type}["${member ?? name}"]`);
  });
  expect(lines.length).toBeGreaterThan(40);
  const used = lines.map((line, at) => `export const name${at}: ([${line}] extends [never] ? never : 1) = 1;`);
  expect(checkTypes({ "names.ts": `${used.join("\n")}\n` })).toBe("");
});

/** Types of the agent and of extensions are the agent's. */
function doorOf(type: string): string {
  return ["Agent", "ExtensionApi", "CommandContext"].includes(type) ? "@pith/agent" : "@pith/context";
}
