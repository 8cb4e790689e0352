/** Decides about each tool call, asks the user and remembers rules. Only the user changes permissions, never text from a session. */

import type { Redaction } from "@pith/context";
import { unlessAborted } from "../async.ts";
import type { RestorePermit } from "../session/rewind.ts";
import type { Leave } from "../tool.ts";
import { type AuditDecision, type AuditRecord, askingRules, describeAct, explainDecision } from "./audit.ts";
import { type Decision, decide, type Limits, type Mode, type Rules, type Standing } from "./decide.ts";
import {
  type Answer,
  type Ask,
  type Asked,
  lastsSession,
  offeredRules,
  type Question,
  questionOf,
  withoutSecrets,
} from "./question.ts";
import {
  type Act,
  type Ground,
  type GroundParts,
  type Permit,
  type Permits,
  type RealPath,
  reachedAt,
  realGround,
  type Sight,
  sightOf,
} from "./request.ts";
import type { Rule } from "./rules.ts";

/** What a permitted call may open: the real paths it was permitted for, and below them only what would be allowed by itself. */
export function leaveFor(sight: Sight, standing: Standing): Leave {
  // Who was asked about a folder was asked about what is in it.
  const isEnough = decide(sight, standing).type === "asked" ? ["allowed", "asked"] : ["allowed"];
  return {
    // Where nobody can tell, it is taken at its word: a link is not followed then.
    reached: new Map(
      sight.reached.map(({ spelled, ...as }) => spelled ?? as).map(({ named, real }) => [named, real ?? named]),
    ),
    isClosed: (path) => !isEnough.includes(decide(lookAt(path, sight), standing).type),
  };
}

function lookAt(path: string, { act }: Sight): Sight {
  return {
    act: { ...act, intent: { type: "look", paths: [path] } },
    reached: [reachedAt({ named: path, real: path })],
  };
}

/** The refusal when no user can be asked; it names the flags that would allow the call. */
export function unasked(sight: Sight, { because }: Extract<Decision, { type: "asked" }>, standing: Standing): string {
  switch (because) {
    case "again":
      return "not permitted: it was begun before and may have been done, and nobody is here to ask whether to do it again";
    case "rule":
      return "not permitted: a rule wants the user to be asked, and nobody is here to ask";
    case "doubt":
      return doubtful(sight, standing);
    case "mode":
      return `not permitted: nobody is here to ask${ways(sight, standing)}`;
  }
}

function doubtful(sight: Sight, standing: Standing): string {
  const [rule] = askingRules(sight, standing);
  const what = rule ? `the rule ${rule.text} may apply to it` : "a rule may apply to it";
  return `not permitted: ${what}, and no user is here to be asked; write a command in which what the rule names does not occur, or tell the user`;
}

function ways(sight: Sight, standing: Standing): string {
  const [rule] = offeredRules(sight, standing.ground);
  const wider = WIDER.filter((each) => standing.limits?.modes?.includes(each) ?? true);
  const mode = wider.find((each) => decide(sight, { ...standing, mode: each }).type === "allowed");
  const open = sight.act.intent?.type === "network" && !standing.limits ? "--network open" : undefined;
  const flags = [rule && `--allow ${quoted(rule.text)}`, mode && `--permission-mode ${mode}`, open].filter(
    (flag) => flag !== undefined,
  );
  if (flags.length > 0) return `; allow it with ${flags.join(" or ")}`;
  const { intent } = sight.act;
  return intent?.type === "command" && intent.secrets
    ? "; a secret is given only after a question, so not with -p"
    : "";
}

const WIDER: readonly Mode[] = ["edit", "all"];

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export interface PermissionsParts {
  readonly mode: Mode;
  readonly rules?: Partial<Rules>;
  readonly limits?: Limits | undefined;
  readonly ground: GroundParts;
  readonly realPath: RealPath;
  /** Absent where nobody is there to be asked; then what would be asked is refused. */
  readonly ask?: Ask;
  readonly memory?: RuleMemory;
  /** Acts are judged as they will be done, with the secrets in them; what is asked and remembered has none. */
  readonly redaction?: Redaction;
  /** Told each decision, each rule that an answer makes, and each change of the mode. It must not wait for anything. */
  readonly audit?: (record: AuditRecord) => void;
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
  /** Looks again at what is being asked; null where nothing is. */
  #judgeOpen: (() => Promise<void>) | null = null;

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

  get limits(): Limits | undefined {
    return this.#parts.limits;
  }

  /**
   * For the user alone. PERM38: a question that is open is settled where the new mode settles it.
   * Throws on a mode that the limits leave out: whoever calls says so first.
   */
  setMode(mode: Mode): void {
    const { limits } = this.#parts;
    if (limits?.modes && !limits.modes.includes(mode))
      throw new Error(`${limits.source} does not allow the mode ${mode}`);
    if (mode !== this.#mode) this.#parts.audit?.({ event: "mode", from: this.#mode, to: mode });
    this.#mode = mode;
    void this.#judgeOpen?.();
  }

  async permit(act: Act, { signal }: { readonly signal: AbortSignal }): Promise<Permit> {
    const { ask, realPath } = this.#parts;
    const sight = await sightOf(act, realPath);
    const standing = await this.#standing();
    const decision = decide(sight, standing);
    if (decision.type !== "asked") return this.#unasked(decision, { sight, standing });
    if (!ask) {
      const why = unasked(sight, decision, standing);
      return this.#recorded({ type: "refused", why }, sight, {
        by: "unattended",
        ...causeOf(decision, { sight, standing }),
      });
    }
    const asked = this.#inTurn(() => this.#asked(sight, { ask, signal }));
    return (await unlessAborted(asked, signal)) ?? brokenOff;
  }

  /** Whether it would be permitted without a question. Nobody is asked, and nothing is recorded. */
  async isAllowed(act: Act): Promise<boolean> {
    return decide(await sightOf(act, this.#parts.realPath), await this.#standing()).type === "allowed";
  }

  /**
   * Whether a move in the session tree may restore a file. It is judged as `write` in mode `edit`, whatever the mode, and nobody is
   * asked: the paths come from a session file, which anybody may have written.
   */
  async permitRestore(path: string): Promise<RestorePermit> {
    const act: Act = { tool: "write", arguments: { path }, intent: { type: "change", paths: [path] } };
    const sight = await sightOf(act, this.#parts.realPath);
    const decision = decide(sight, { ...(await this.#standing()), mode: "edit" });
    const [reached] = sight.reached;
    const real = (reached?.spelled ?? reached)?.real ?? null;
    if (decision.type === "allowed" && real !== null) return { type: "permitted", real };
    return { type: "refused", why: whyNotRestored(decision) };
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
    return { mode: this.#mode, rules: this.#rules, ground: await this.#ground, limits: this.#parts.limits };
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
    const cause = (): Pick<AuditDecision, "because" | "rules"> =>
      decision.type === "asked" ? causeOf(decision, { sight, standing }) : {};
    if (signal.aborted) return this.#recorded(brokenOff, sight, { by: "stopped", ...cause() });
    if (decision.type !== "asked") return this.#unasked(decision, { sight, standing });
    const settled = this.#settledByMode(sight);
    const asking = AbortSignal.any([signal, settled.signal]);
    try {
      const answer = await unlessAborted(
        ask(this.#question(sight, decision, standing.ground), { signal: asking }),
        asking,
      );
      const permit = settled.permit();
      if (permit) return this.#recorded(permit, sight, { by: "mode", ...cause() });
      if (answer === null) return this.#recorded(brokenOff, sight, { by: "stopped", ...cause() });
      return this.#recorded(await this.#answered(sight, answer), sight, { by: "user", ...cause() });
    } finally {
      this.#judgeOpen = null;
    }
  }

  #unasked(decision: Exclude<Decision, { type: "asked" }>, judged: Judged): Permit {
    const permit = permitOf(decision, judged);
    if (!this.#parts.audit) return permit;
    return this.#recorded(permit, judged.sight, explainDecision(judged.sight, judged.standing, decision));
  }

  #recorded(permit: Permit, sight: Sight, how: Pick<AuditDecision, "by" | "rules" | "because">): Permit {
    const { audit, redaction } = this.#parts;
    const { rules = [], ...rest } = how;
    if (!audit) return permit;
    const record: AuditRecord = {
      ...{ event: "decision", tool: sight.act.tool, what: describeAct(sight, redaction) },
      ...{ decision: permit.type, ...rest, ...(rules.length > 0 && { rules }), mode: this.#mode },
    };
    // A rule that the user wrote may have a secret in it, too.
    audit(redaction ? redaction.redact(record) : record);
    return permit;
  }

  /** The question is withdrawn, by its signal, once the mode needs none any more. */
  #settledByMode(sight: Sight): { readonly signal: AbortSignal; readonly permit: () => Permit | null } {
    const withdrawing = new AbortController();
    let permit: Permit | null = null;
    this.#judgeOpen = async () => {
      const standing = await this.#standing();
      const decision = decide(sight, standing);
      if (decision.type === "asked" || permit) return;
      permit = permitOf(decision, { sight, standing });
      withdrawing.abort();
    };
    return { signal: withdrawing.signal, permit: () => permit };
  }

  #question(sight: Sight, asked: Asked, ground: Ground): Question {
    const { redaction } = this.#parts;
    const question = questionOf(sight, asked, ground);
    return redaction
      ? withoutSecrets(question, questionOf(redaction.redact(sight), asked, ground), redaction)
      : question;
  }

  async #answered(sight: Sight, answer: Answer): Promise<Permit> {
    if (answer.type !== "yes") return { type: "refused", why: denial(answer.word) };
    // The mode may have become a stricter one while the question stood.
    const standing = await this.#standing();
    const decision = decide(sight, standing);
    if (decision.type === "refused") return decision;
    if (answer.remember) await this.#remember(answer.remember);
    else if (decision.type === "asked" && lastsSession(sight, decision.because)) this.#holdInSession(sight, standing);
    return { type: "permitted", leave: leaveFor(sight, standing) };
  }

  /** PERM26: the narrowest rule that a question would have offered. */
  #holdInSession(sight: Sight, { ground }: Standing): void {
    const [rule] = offeredRules(sight, ground);
    if (rule) this.#grant(rule, "session");
  }

  async #remember({ rule, for: place }: NonNullable<Extract<Answer, { type: "yes" }>["remember"]>): Promise<void> {
    this.#grant(rule, place);
    if (place === "project") await this.#parts.memory?.remember(rule);
  }

  #grant(rule: Rule, place: "session" | "project"): void {
    this.#rules = { ...this.#rules, allow: [...this.#rules.allow, { ...rule, source: place }] };
    this.#parts.audit?.({ event: "grant", rule: rule.text, for: place, mode: this.#mode });
  }
}

const brokenOff: Permit = { type: "refused", why: "not permitted: it was broken off before anybody had answered" };

interface Judged {
  readonly sight: Sight;
  readonly standing: Standing;
}

/** Why it is asked; the rules, where one of them is the reason. */
function causeOf(
  { because }: Extract<Decision, { type: "asked" }>,
  { sight, standing }: Judged,
): Pick<AuditDecision, "because" | "rules"> {
  return because === "rule" || because === "doubt" ? { because, rules: askingRules(sight, standing) } : { because };
}

function permitOf(decision: Exclude<Decision, { type: "asked" }>, { sight, standing }: Judged): Permit {
  return decision.type === "allowed" ? { type: "permitted", leave: leaveFor(sight, standing) } : decision;
}

function denial(word: string | undefined): string {
  return word ? `the user did not permit it: ${word}` : "the user did not permit it";
}

function whyNotRestored(decision: Decision): string {
  if (decision.type === "refused") return decision.why;
  if (decision.type === "asked" && decision.because !== "mode")
    return "a rule wants you to be asked before it is changed";
  switch (decision.type === "asked" ? decision.matter : "unknown") {
    case "change-outside":
      return "it lies outside the workspace";
    case "change-protected":
      return "other programs run or trust it; --allow 'edit(path)' permits it";
    default:
      return "it cannot be told where its path leads";
  }
}

/**
 * Whether a provider may search the web itself. A search tells a host of the provider's choice words of the model, and that provider reads
 * the whole conversation anyway; no host that the model names is reached, so it need not be asked about as `fetch` is. Whoever is asked about
 * everything, or has a rule that holds fetching back, would not expect it: its pages cannot be permitted one by one.
 */
export function fetchesFreely({ mode, rules, limits }: Pick<Standing, "mode" | "rules" | "limits">): boolean {
  if (limits?.hosts) return false;
  const isFetching = ({ tool }: Rule): boolean => tool === "fetch" || tool === "network";
  if ([...rules.deny, ...rules.ask].some(isFetching)) return false;
  return mode !== "ask" || rules.allow.some((rule) => isFetching(rule) && rule.pattern === null);
}
