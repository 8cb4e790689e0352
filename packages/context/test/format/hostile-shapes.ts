/** Creates files, of any size, that are designed to be slow to read. */

import { withTrailer } from "../../src/format/line-checksum.ts";
import type { LinkInput } from "../../src/format/link-entries.ts";
import { bytesOf, checksum, file, inUtf16, note, ourHeader, piHeader } from "./specimen.ts";

/** A file of that size. */
export type Shape = (size: number) => Uint8Array;

type LineAt = (at: number, count: number) => string;

const lines: Readonly<Record<string, LineAt>> = {
  "a chain in order": (at) => note(`e${at}`, at === 0 ? null : `e${at - 1}`),
  "a chain in reverse": (at, n) => note(`e${n - at}`, at === n - 1 ? null : `e${n - at - 1}`),
  "one root and all others its children": (at) => note(`e${at}`, at === 0 ? null : "e0"),
  "all their own parents": (at) => note(`e${at}`, `e${at}`),
  "one circle": (at, n) => note(`e${at}`, `e${(at + n - 1) % n}`),
  "one circle in reverse": (at, n) => note(`e${at}`, `e${(at + 1) % n}`),
  "circles of two": (at) => note(`e${at}`, `e${at ^ 1}`),
  "one line again and again": () => note("e1", null),
  "one id with ever other content": (at) => note("e1", "e1", `,"n":"${`${at}`.padStart(9, "0")}"`),
  "the names that second bearers get": (at) => (at % 2 ? note("e", "e", `,"n":${at}`) : note(`e~${at + 1}`, "e")),
  "all parents missing": (at) => note(`e${at}`, `lost${at}`),
  "one parent missing": (at) => note(`e${at}`, "lost"),
  "every other line lost": (at) => (at % 2 ? "garbage" : note(`e${at}`, `e${at - 1}`)),
  "all lines lost, each with id and parent": (at) => note(`e${at}`, `e${at - 1}`).slice(0, 60),
  "compactions that keep the first entry": (at) => compaction(at, "e0"),
  "compactions that keep nobody": (at) => compaction(at, "lost"),
  "lines of zeros": () => "\0".repeat(100),
};

/** Sized in lines. */
export const manyLines: Readonly<Record<string, Shape>> = {
  ...mapped(lines, (line) => (n) => file(piHeader, each(n, line))),
  "no header anywhere": (n) => file(each(n, (at) => note(`e${at}`, null))),
  "headers only": (n) => file(each(n, (at) => piHeader.replace("s1", `s${at}`))),
  "one batch without its first line": (n) => file(ourHeader, each(n, inBatch)),
  "UTF-16": (n) => inUtf16([piHeader, ...each(n, (at) => note(`e${at}`, null))].join("\n")),
};

const values: Readonly<Record<string, (size: number) => string>> = {
  "a string of backslashes": (n) => `"${"\\\\".repeat(n / 2)}"`,
  "a string of backslashes that never ends": (n) => `"${"\\".repeat(n + 1)}`,
  "a string of escaped quotes": (n) => `"${'\\"'.repeat(n / 2)}"`,
  "quotes only": (n) => '"'.repeat(n),
  "backslashes and quotes in turn": (n) => '\\\\\\"'.repeat(n / 4),
  "brackets in a string": (n) => `"${"[{".repeat(n / 2)}"`,
  "brackets side by side": (n) => `[${"[],".repeat(n / 12)}[]]`,
  "brackets in each other": (n) => "[".repeat(n * 20),
  "brackets closed before they are opened": (n) => "]".repeat(n),
  "many members": (n) => `1,${each(n / 100, (at) => `"m${at}":${at}`).join(",")}`,
  "one member again and again": (n) => `1${',"id":"e1"'.repeat(n / 60)}`,
};

/** Sized in letters. */
export const oneLine: Readonly<Record<string, Shape>> = {
  ...mapped(values, (value) => (n) => file(piHeader, note("e1", null, `,"a":${value(n)}`))),
  "seals in a string": (n) => file(ourHeader, withTrailer(note("e1", null, `,"a":"${seals(n)}"`), {}, checksum)),
  spaces: (n) => bytesOf(`${piHeader}\n${" ".repeat(n)}`),
  zeros: (n) => bytesOf(`${piHeader}\n${"\0".repeat(n * 4)}`),
  "line ends": (n) => bytesOf("\n".repeat(n / 8)),
};

/** Lines as the tree sees them. */
export const placings: Readonly<Record<string, (at: number, count: number) => LinkInput>> = {
  "a chain in reverse": (at, n) => whole(at, `e${n - at}`, `e${n - at - 1}`),
  "all their own parents": (at) => whole(at, `e${at}`, `e${at}`),
  "one circle": (at, n) => whole(at, `e${at}`, `e${(at + n - 1) % n}`),
  "one circle in reverse": (at, n) => whole(at, `e${at}`, `e${(at + 1) % n}`),
  "one id for all": (at) => whole(at, "e", "e"),
  "all parents missing": (at) => whole(at, `e${at}`, `lost${at}`),
  "one parent missing": (at) => whole(at, `e${at}`, "lost"),
  "every other line lost": (at) =>
    at % 2 ? { id: null, parent: undefined, isLost: true, offset: at } : whole(at, `e${at}`, `e${at - 1}`),
  "all lines lost": (at) => ({ id: `e${at}`, parent: `e${at - 1}`, isLost: true, offset: at }),
};

export function each<Item>(count: number, item: (at: number, count: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, at) => item(at, count));
}

export function compaction(at: number, kept: string): string {
  const place = `"id":"e${at}","parentId":${at === 0 ? "null" : `"e${at - 1}"`}`;
  return `{"type":"compaction",${place},"timestamp":"t","summary":"s","tokensBefore":1,"firstKeptEntryId":"${kept}"}`;
}

function inBatch(at: number, count: number): string {
  return withTrailer(note(`e${at}`, `e${at - 1}`), { batch: [at + 2, count + 1] }, checksum);
}

function seals(letters: number): string {
  return ',\\"crc\\":\\"00000000\\"}'.repeat(letters / 22);
}

function whole(offset: number, id: string, parent: string): LinkInput {
  return { id, parent, isLost: false, offset };
}

function mapped<From, To>(named: Readonly<Record<string, From>>, change: (from: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(named).map(([name, from]) => [name, change(from)]));
}
