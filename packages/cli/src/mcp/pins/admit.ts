/** Whether the tools of a server may be used: as somebody trusted them, to the letter. Whoever is there is asked; where nobody is, it is refused. */

import type { NamedServer } from "../mcp-servers.ts";
import { changesInShort, type TrustAsked, trustText, trustTitle } from "../telling/trust-text.ts";
import { type OfferedTool, pinKey, pinOf } from "./pin.ts";
import { keepPin, readPins } from "./pin-file.ts";

export interface Offered {
  readonly named: NamedServer;
  readonly tools: readonly OfferedTool[];
}

export interface AdmitParts {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** Null where nobody is there. */
  readonly confirm: () => Confirm | null;
}

export type Confirm = (title: string, message: string, asking: { readonly signal: AbortSignal }) => Promise<boolean>;

/** Null where they may be used; else why not, for the model and for people. */
export type Admit = (offered: Offered, signal: AbortSignal) => Promise<string | null>;

/** One question at a time, and never twice about the same. */
export function admitting(parts: AdmitParts): Admit {
  const declined = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  return (offered, signal) => {
    const answer = turn.then(() => admitted(offered, { ...parts, declined, signal }));
    turn = answer.catch(() => undefined);
    return answer;
  };
}

interface Admitting extends AdmitParts {
  readonly declined: Set<string>;
  readonly signal: AbortSignal;
}

async function admitted(
  { named, tools }: Offered,
  { cwd, home, confirm, declined, signal }: Admitting,
): Promise<string | null> {
  const key = pinKey(named, cwd);
  const now = pinOf(tools, new Date().toISOString());
  const read = await readPins(home);
  if (read.type === "unbelieved") return `nothing can be trusted: ${read.why}`;
  const before = read.type === "read" ? read.pins.get(key) : undefined;
  if (before?.hash === now.hash) return null;
  if (declined.has(`${key} ${now.hash}`)) return `the user does not trust the tools of ${named.name}`;
  const ask = confirm();
  const asked: TrustAsked = { named, tools, before };
  if (ask === null) return unasked(asked);
  const isTrusted = await ask(trustTitle(asked), trustText(asked), { signal });
  if (signal.aborted) return "it was stopped";
  if (!isTrusted) {
    declined.add(`${key} ${now.hash}`);
    return `the user does not trust the tools of ${named.name}`;
  }
  const kept = await keepPin(key, now, home);
  return kept.type === "kept" ? null : kept.message;
}

function unasked({ named, tools, before }: TrustAsked): string {
  const what = before
    ? `have changed since they were trusted (${changesInShort(tools, before)})`
    : "are not trusted yet";
  return `the tools of ${named.name} ${what}, and nobody is here to ask; whoever wants them runs: pith mcp trust ${named.name}`;
}
