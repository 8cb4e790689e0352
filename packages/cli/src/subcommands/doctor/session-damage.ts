/** Implements `pith doctor SESSION`: looks at every line of one session and shows the damaged ones. It changes nothing. */

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { type Damage, harmlessDamageKinds } from "@pith/context/store";
import type { Call, Outcome } from "../../args/subcommand.ts";
import { looked, meant } from "../../sessions/find-session.ts";
import { counted } from "../../text/format.ts";
import { clipped, plain } from "../../text/safe-text.ts";

export async function examineSession(word: string, call: Call): Promise<Outcome> {
  const found = await meant(word, call);
  if (found.type === "mistake") return found;
  const { path } = found;
  const checked = await looked(path, async (store) => ({ type: "checked" as const, damage: await store.check() }));
  if (checked.type === "failed") return checked;
  const damage = checked.damage.map((each) => ({ ...each, text: textAt(path, each) }));
  const beside = [`${path}.damaged`, `${path}.bak`].filter((each) => existsSync(each));
  const isHarmed = damage.some(({ kind }) => !harmlessDamageKinds.has(kind));
  const text = [summaryLine(path, damage.length), ...damage.map(describeLine), ...advice(damage.length, beside)].join(
    "\n",
  );
  return { type: "shown", text, data: { path, damage, beside }, ...(isHarmed && { code: 1 }) };
}

function summaryLine(path: string, count: number): string {
  if (count === 0) return `${path}: every line can be read and is as it was written`;
  return `${path}: ${counted(count, "damaged place")}`;
}

function describeLine({ line, note, kind, text }: Damage & { readonly text: string }): string {
  const harm = harmlessDamageKinds.has(kind) ? " (nothing is lost)" : "";
  const shown = clipped(plain(text), MOST_LETTERS);
  return `\nline ${line}: ${note}${harm}${shown === "" ? "" : `\n  ${shown}`}`;
}

function advice(count: number, beside: readonly string[]): readonly string[] {
  if (count === 0) return [];
  return [
    "",
    "Damaged lines stay in the file as they are. Pith leaves them out, and never uses their text.",
    ...beside.map((path) => `What was set aside: ${path}`),
    "If you have a backup of the file, put it in this place while no program has the session open.",
  ];
}

function textAt(path: string, { offset, length }: Damage): string {
  const bytes = Buffer.alloc(Math.min(length, MOST_BYTES));
  const file = openSync(path, "r");
  try {
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(file);
  }
}

const MOST_BYTES = 4096;
const MOST_LETTERS = 400;
