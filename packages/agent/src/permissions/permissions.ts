/** The permissions of one agent: held here, changed by the user, asked before every call. No text of a session ever reaches them. */

import type { Redaction } from "@pith/context";
import { unlessAborted } from "../waiting/unless-aborted.ts";
import { type Decision, decide, type Rules, type Standing } from "./decide.ts";
import { leaveFor } from "./leave.ts";
import type { Act, Permit, Permits } from "./permit.ts";
import { type Answer, type Ask, type Asked, type Question, questionOf, withoutSecrets } from "./question.ts";
import type { Rule } from "./rules/rule.ts";
import { type Ground, type RealPath, realGround, type Sight, sightOf } from "./sight.ts";
import type { Mode } from "./table.ts";
import { unasked } from "./unasked.ts";

export interface PermissionsParts {
  readonly mode: Mode;
  readonly rules?: Partial<Rules>;
  readonly ground: Ground;
  readonly realPath: RealPath;
  /** Absent where nobody is there to be asked; then what would be asked is refused. */
  readonly ask?: Ask;
  readonly memory?: RuleMemory;
  /** Acts are judged as they will be done, with the secrets in them; what is asked and remembered has none. */
  readonly redaction?: Redaction;
}

/** The port to where rules for a project are kept. What cannot be kept it tells the user itself. */
export interface RuleMemory {
  remember(rule: Rule): Promise<void>;
}

export class Permissions implements Permits {
  readonly #parts: PermissionsParts;
  #mode: Mode;
  #rules: Rules;
  #ground: Promise<Ground> | null = null;
  #lastAsked: Promise<unknown> = Promise.resolve();

  constructor(parts: PermissionsParts) {
    this.#parts = parts;
    this.#mode = parts.mode;
    this.#rules = { allow: [], ask: [], deny: [], ...parts.rules };
  }

  get mode(): Mode {
    return this.#mode;
  }

  get rules(): Rules {
    return this.#rules;
  }

  /** For the user alone. */
  setMode(mode: Mode): void {
    this.#mode = mode;
  }

  async permit(act: Act, { signal }: { readonly signal: AbortSignal }): Promise<Permit> {
    const { ask, realPath } = this.#parts;
    const sight = await sightOf(act, realPath);
    const standing = await this.#standing();
    const decision = decide(sight, standing);
    if (decision.type !== "asked") return permitOf(decision, { sight, standing });
    if (!ask) return { type: "refused", why: unasked(sight, decision, standing) };
    const asked = this.#inTurn(() => this.#asked(sight, { ask, signal }));
    return (await unlessAborted(asked, signal)) ?? brokenOff;
  }

  standing(): string {
    const { allow, ask, deny } = this.#rules;
    const listed = Object.entries({ deny, ask, allow }).flatMap(([effect, rules]) =>
      [...new Set(rules.map(({ text }) => text))].sort().map((text) => `${effect} ${text}`),
    );
    return [`mode ${this.#mode}`, ...listed].join("\n");
  }

  async #standing(): Promise<Standing> {
    this.#ground ??= realGround(this.#parts.ground, this.#parts.realPath);
    return { mode: this.#mode, rules: this.#rules, ground: await this.#ground };
  }

  /** One question at a time: the answer to one may settle the next. */
  #inTurn(question: () => Promise<Permit>): Promise<Permit> {
    const asked = this.#lastAsked.then(question);
    // How it failed is told to whoever asked.
    this.#lastAsked = asked.catch(() => undefined);
    return asked;
  }

  async #asked(sight: Sight, { ask, signal }: { readonly ask: Ask; readonly signal: AbortSignal }): Promise<Permit> {
    const standing = await this.#standing();
    const decision = decide(sight, standing);
    if (signal.aborted) return brokenOff;
    if (decision.type !== "asked") return permitOf(decision, { sight, standing });
    const answer = await unlessAborted(ask(this.#question(sight, decision, standing.ground), { signal }), signal);
    return answer === null ? brokenOff : await this.#answered(sight, answer);
  }

  #question(sight: Sight, asked: Asked, ground: Ground): Question {
    const { redaction } = this.#parts;
    const question = questionOf(sight, asked, ground);
    return redaction
      ? withoutSecrets(question, questionOf(redaction.redacted(sight), asked, ground), redaction)
      : question;
  }

  async #answered(sight: Sight, answer: Answer): Promise<Permit> {
    if (answer.type !== "yes") return { type: "refused", why: denial(answer.word) };
    // The mode may have become a stricter one while the question stood.
    const standing = await this.#standing();
    const decision = decide(sight, standing);
    if (decision.type === "refused") return decision;
    if (answer.remember) await this.#remember(answer.remember);
    return { type: "permitted", leave: leaveFor(sight, standing) };
  }

  async #remember({ rule, for: place }: NonNullable<Extract<Answer, { type: "yes" }>["remember"]>): Promise<void> {
    this.#rules = { ...this.#rules, allow: [...this.#rules.allow, rule] };
    if (place === "project") await this.#parts.memory?.remember(rule);
  }
}

const brokenOff: Permit = { type: "refused", why: "not permitted: it was broken off before anybody had answered" };

interface Judged {
  readonly sight: Sight;
  readonly standing: Standing;
}

function permitOf(decision: Exclude<Decision, { type: "asked" }>, { sight, standing }: Judged): Permit {
  return decision.type === "allowed" ? { type: "permitted", leave: leaveFor(sight, standing) } : decision;
}

function denial(word: string | undefined): string {
  return word ? `the user did not permit it: ${word}` : "the user did not permit it";
}
