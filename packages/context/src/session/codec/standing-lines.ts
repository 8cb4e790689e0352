/** Which lines stand in the tree: all but headers, and copies of a line that is there already. */

import { type Damage, named } from "./damage.ts";
import type { ReadLine } from "./torn-tail.ts";

export interface StandingLines {
  readonly lines: readonly ReadLine[];
  readonly damage: readonly Damage[];
}

export function standingLines(read: readonly ReadLine[], headerAt: number): StandingLines {
  const lines: ReadLine[] = [];
  const damage: Damage[] = [];
  const first = new Map<unknown, Uint8Array>();
  read.forEach((line, at) => {
    if (at === headerAt) return;
    const value = line.reading.type === "whole" ? line.reading.value : null;
    const twin = typeof value?.id === "string" ? first.get(value.id) : undefined;
    if (value?.type === "session") damage.push(named("second-header", line.raw));
    else if (twin && isSame(twin, line.raw.bytes)) damage.push(named("doubled-line", line.raw));
    else lines.push(line);
    if (value && !twin) first.set(value.id, line.raw.bytes);
  });
  return { lines, damage };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
