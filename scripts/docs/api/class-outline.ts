/** A class as its users see it: public fields and methods, each with its comment, without bodies. */

import { closing } from "../../house/source/brackets.ts";
import type { Source } from "../../house/source/source.ts";
import { bodyAt, endAt, equalsAt } from "./places.ts";

export function classOutline({ text, code }: Source, from: number): string {
  const open = code.indexOf("{", from);
  const close = closing(code, open);
  const members: string[] = [];
  for (let at = open + 1; code.slice(at, close).trim() !== ""; ) {
    const { head, end } = extent(code, at);
    const start = at + code.slice(at).search(/\S/);
    if (isPublic(code.slice(start))) members.push(...outlined(text.slice(at, start), text.slice(start, head)));
    at = end;
  }
  return [text.slice(from, open + 1), ...members, "}"].join("\n");
}

interface Extent {
  /** Where what one sees from outside ends. */
  readonly head: number;
  readonly end: number;
}

function extent(code: string, at: number): Extent {
  const end = endAt(code, at);
  const body = bodyAt(code, at);
  if (end < body) return { head: Math.min(end, equalsAt(code, at)), end: end + 1 };
  return { head: body, end: closing(code, body) + 1 };
}

function isPublic(code: string): boolean {
  return !/^(?:(?:static|readonly|async|abstract)\s+)*(?:#|private\b|protected\b)/.test(code);
}

function outlined(before: string, head: string): readonly string[] {
  const comment = /[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(before)?.[0].trimEnd();
  const member = `  ${head.replace(/\basync /, "").trimEnd()};`;
  return comment === undefined ? [member] : [comment, member];
}
