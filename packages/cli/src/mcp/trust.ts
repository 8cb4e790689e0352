/** Decides whether the program of an MCP server may start and whether its tools may be used: as trusted before, or after a question. */

import type { NamedServer } from "../settings/settings.ts";
import type { LaunchPlan } from "./plan-launch.ts";
import { areSameFiles, listFileChanges, type ProgramFiles } from "./program-files.ts";
import {
  type Confirm,
  changesInShort,
  type StartAsked,
  startText,
  startTitle,
  type TrustAsked,
  trustText,
  trustTitle,
} from "./trust-question.ts";
import {
  hasSameFiles,
  isSamePin,
  keepPin,
  type OfferedTool,
  type Pin,
  pinKey,
  pinOf,
  readPins,
} from "./trusted-tools.ts";

export interface TrustParts {
  /** The workspace. */
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** Null where nobody is there. */
  readonly confirm: () => Confirm | null;
}

export interface Offered {
  readonly named: NamedServer;
  readonly tools: readonly OfferedTool[];
  /** What runs, as it is after the start; null for an address. */
  readonly files: ProgramFiles | null;
}

/** Each answers null for a yes; else why not, for the model and for people. One question at a time, and never twice about the same. */
export class Trust {
  readonly #parts: TrustParts;
  readonly #declined = new Set<string>();
  /** Programs that the user has let start in this session, by the keys of their pins. */
  readonly #permitted = new Map<string, ProgramFiles>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: TrustParts) {
    this.#parts = parts;
  }

  permitStart(plan: LaunchPlan, signal: AbortSignal): Promise<string | null> {
    return this.#next(() => this.#decideStart(plan, signal));
  }

  permitTools(offered: Offered, signal: AbortSignal): Promise<string | null> {
    return this.#next(() => this.#decideTools(offered, signal));
  }

  #next(decide: () => Promise<string | null>): Promise<string | null> {
    const answer = this.#turn.then(decide);
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  async #decideStart(plan: LaunchPlan, signal: AbortSignal): Promise<string | null> {
    const { named, files } = plan;
    const found = await this.#pinOf(named);
    if (found.type === "failed") return found.why;
    const { key, pin: before } = found;
    if (hasSameFiles(before, files) || this.#isPermitted(key, files)) return null;
    const asked: StartAsked = { plan, before };
    const refusal = `the user did not let the program of ${named.name} start`;
    const about = `${key} ${JSON.stringify(files)}`;
    const ask = { title: startTitle(asked), text: startText(asked), yes: "Yes, start it", about, refusal };
    const why = await this.#ask({ ...ask, unasked: unaskedStart(asked) }, signal);
    if (why === null) this.#permitted.set(key, files);
    return why;
  }

  async #decideTools({ named, tools, files }: Offered, signal: AbortSignal): Promise<string | null> {
    const found = await this.#pinOf(named);
    if (found.type === "failed") return found.why;
    const { key, pin: before } = found;
    const now = pinOf(tools, new Date().toISOString(), files);
    if (isSamePin(before, now)) return null;
    // The start was the question; nothing else is new.
    const isAnswered = before?.hash === now.hash && files !== null && this.#isPermitted(key, files);
    if (!isAnswered) {
      const asked: TrustAsked = { named, tools, files, before };
      const refusal = `the user does not trust the tools of ${named.name}`;
      const about = `${key} ${now.hash} ${JSON.stringify(files)}`;
      const ask = { title: trustTitle(asked), text: trustText(asked), yes: "Yes, use these tools", about, refusal };
      const why = await this.#ask({ ...ask, unasked: unaskedTools(asked) }, signal);
      if (why !== null) return why;
    }
    const kept = await keepPin(key, now, this.#parts.home);
    return kept.type === "kept" ? null : kept.message;
  }

  async #pinOf(
    named: NamedServer,
  ): Promise<{ type: "found"; key: string; pin: Pin | undefined } | { type: "failed"; why: string }> {
    const read = await readPins(this.#parts.home);
    if (read.type === "untrusted") return { type: "failed", why: `nothing can be trusted: ${read.why}` };
    const key = pinKey(named, this.#parts.cwd);
    return { type: "found", key, pin: read.type === "read" ? read.pins.get(key) : undefined };
  }

  /** A yes to a launcher is one to the packages that it fetches then. */
  #isPermitted(key: string, files: ProgramFiles): boolean {
    const permitted = this.#permitted.get(key);
    if (!permitted || !areSameFiles(permitted.program, files.program)) return false;
    return Object.keys(permitted.packages).length === 0 || areSameFiles(permitted.packages, files.packages);
  }

  async #ask(question: Question, signal: AbortSignal): Promise<string | null> {
    const { title, text, yes, about, refusal, unasked } = question;
    if (this.#declined.has(about)) return refusal;
    const confirm = this.#parts.confirm();
    if (confirm === null) return unasked;
    const isPermitted = await confirm(title, text, { signal, yes });
    if (signal.aborted) return "it was stopped";
    if (isPermitted) return null;
    this.#declined.add(about);
    return refusal;
  }
}

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  /** Tells one question from another. */
  readonly about: string;
  /** Said after a no. */
  readonly refusal: string;
  /** Said where nobody can be asked. */
  readonly unasked: string;
}

function unaskedStart({ plan, before }: StartAsked): string {
  const { named, files } = plan;
  const what = before?.files
    ? `has changed since it was trusted (${listFileChanges(before.files, files).slice(0, 3).join("; ")})`
    : "is not trusted yet";
  return `the program of ${named.name} ${what}, so it was not started, and nobody is here to ask; whoever wants it runs: pith mcp trust ${named.name}`;
}

function unaskedTools({ named, tools, files, before }: TrustAsked): string {
  const changes = before
    ? [...(files && before.files ? listFileChanges(before.files, files) : []), changesInShort(tools, before)]
    : [];
  const what = before
    ? `have changed since they were trusted (${changes.filter((each) => each !== "").join("; ")})`
    : "are not trusted yet";
  return `the tools of ${named.name} ${what}, and nobody is here to ask; whoever wants them runs: pith mcp trust ${named.name}`;
}
