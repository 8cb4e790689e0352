/** Decides about each tool call, asks the user and remembers rules. Only the user changes permissions, never text from a session. */

import type { Redaction } from "@pith/context";
import { raceAbort } from "../async.ts";
import type { RestorePermission } from "../session/rewind-files.ts";
import type { PermissionGrant } from "../tool.ts";
import { type AuditDecision, type AuditRecord, describeRequest, explainDecision, findAskingRules } from "./audit.ts";
import {
  type Decision,
  decide,
  type PermissionMode,
  type PermissionState,
  type PolicyLimits,
  type Rules,
} from "./decide.ts";
import {
  type AskDecision,
  type AskPermission,
  createQuestion,
  isSessionWide,
  type PermissionAnswer,
  type PermissionQuestion,
  redactQuestion,
  suggestRules,
} from "./question.ts";
import {
  createResolvedPath,
  type PermissionCheck,
  type PermissionPaths,
  type PermissionPathsInput,
  type PermissionRequest,
  type PermissionResult,
  type ResolveRealPath,
  resolvePermissionPaths,
  resolveRequest,
  type ToolRequest,
} from "./request.ts";
import type { Rule } from "./rules.ts";

/** What a permitted call may open: the real paths it was permitted for, and below them only what would be allowed by itself. */
export function createGrant(request: PermissionRequest, state: PermissionState): PermissionGrant {
  // Who was asked about a folder was asked about what is in it.
  const acceptedOutcomes = decide(request, state).type === "asked" ? ["allowed", "asked"] : ["allowed"];
  return {
    // Where nobody can tell, it is taken at its word: a link is not followed then.
    realPaths: new Map(
      request.resolvedPaths
        .map(({ native, ...resolved }) => native ?? resolved)
        .map(({ path, realPath }) => [path, realPath ?? path]),
    ),
    isExcluded: (path) => !acceptedOutcomes.includes(decide(createReadRequest(path, request), state).type),
  };
}

function createReadRequest(path: string, { toolRequest }: PermissionRequest): PermissionRequest {
  return {
    toolRequest: { ...toolRequest, intent: { type: "look", paths: [path] } },
    resolvedPaths: [createResolvedPath({ path, realPath: path })],
  };
}

/** The refusal when no user can be asked; it names the flags that would allow the call. */
export function refusalWithoutUser(
  request: PermissionRequest,
  { reason }: Extract<Decision, { type: "asked" }>,
  state: PermissionState,
): string {
  switch (reason) {
    case "again":
      return "not permitted: it was begun before and may have been done, and nobody is here to ask whether to do it again";
    case "rule":
      return "not permitted: a rule wants the user to be asked, and nobody is here to ask";
    case "doubt":
      return describeDoubt(request, state);
    case "mode":
      return `not permitted: nobody is here to ask${describeFlags(request, state)}`;
  }
}

function describeDoubt(request: PermissionRequest, state: PermissionState): string {
  const [rule] = findAskingRules(request, state);
  const cause = rule ? `the rule ${rule.text} may apply to it` : "a rule may apply to it";
  return `not permitted: ${cause}, and no user is here to be asked; write a command in which what the rule names does not occur, or tell the user`;
}

function describeFlags(request: PermissionRequest, state: PermissionState): string {
  const [rule] = suggestRules(request, state.paths);
  const widerModes = WIDER_MODES.filter((candidate) => state.limits?.modes?.includes(candidate) ?? true);
  const mode = widerModes.find((candidate) => decide(request, { ...state, mode: candidate }).type === "allowed");
  const networkFlag = request.toolRequest.intent?.type === "network" && !state.limits ? "--network open" : undefined;
  const flags = [
    rule && `--allow ${quoteForShell(rule.text)}`,
    mode && `--permission-mode ${mode}`,
    networkFlag,
  ].filter((flag) => flag !== undefined);
  if (flags.length > 0) return `; allow it with ${flags.join(" or ")}`;
  const { intent } = request.toolRequest;
  return intent?.type === "command" && intent.secrets
    ? "; a secret is given only after a question, so not with -p"
    : "";
}

const WIDER_MODES: readonly PermissionMode[] = ["edit", "all"];

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export interface PermissionsOptions {
  readonly mode: PermissionMode;
  readonly rules?: Partial<Rules>;
  readonly limits?: PolicyLimits | undefined;
  readonly paths: PermissionPathsInput;
  readonly resolveRealPath: ResolveRealPath;
  /** Absent where nobody is there to be asked; then what would be asked is refused. */
  readonly ask?: AskPermission;
  readonly ruleStore?: RuleStore;
  /** Acts are judged as they will be done, with the secrets in them; what is asked and remembered has none. */
  readonly redaction?: Redaction;
  /** Told each decision, each rule that an answer makes, and each change of the mode. It must not wait for anything. */
  readonly audit?: (record: AuditRecord) => void;
}

/** The port to where rules for a project are kept. What cannot be kept it tells the user itself. */
export interface RuleStore {
  remember(rule: Rule): Promise<void>;
}

export class Permissions implements PermissionCheck {
  readonly #options: PermissionsOptions;
  #mode: PermissionMode;
  #rules: Rules;
  #paths: Promise<PermissionPaths> | null = null;
  #lastQuestion: Promise<unknown> = Promise.resolve();
  /** Looks again at what is being asked; null where nothing is. */
  #recheckOpenQuestion: (() => Promise<void>) | null = null;

  constructor(options: PermissionsOptions) {
    this.#options = options;
    this.#mode = options.mode;
    this.#rules = { allow: [], ask: [], deny: [], ...options.rules };
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  get rules(): Rules {
    return this.#rules;
  }

  get limits(): PolicyLimits | undefined {
    return this.#options.limits;
  }

  /**
   * For the user alone. PERM38: a question that is open is settled where the new mode settles it.
   * Throws on a mode that the limits leave out: whoever calls says so first.
   */
  setMode(mode: PermissionMode): void {
    const { limits } = this.#options;
    if (limits?.modes && !limits.modes.includes(mode))
      throw new Error(`${limits.source} does not allow the mode ${mode}`);
    if (mode !== this.#mode) this.#options.audit?.({ event: "mode", from: this.#mode, to: mode });
    this.#mode = mode;
    void this.#recheckOpenQuestion?.();
  }

  async permit(toolRequest: ToolRequest, { signal }: { readonly signal: AbortSignal }): Promise<PermissionResult> {
    const { ask, resolveRealPath } = this.#options;
    const request = await resolveRequest(toolRequest, resolveRealPath);
    const state = await this.#currentState();
    const decision = decide(request, state);
    if (decision.type !== "asked") return this.#resolveWithoutUser(decision, { request, state });
    if (!ask) {
      const why = refusalWithoutUser(request, decision, state);
      return this.#record({ type: "refused", why }, request, {
        by: "unattended",
        ...auditReason(decision, { request, state }),
      });
    }
    const result = this.#enqueueQuestion(() => this.#askUser(request, { ask, signal }));
    return (await raceAbort(result, signal)) ?? cancelledResult;
  }

  /** Whether it would be permitted without a question. Nobody is asked, and nothing is recorded. */
  async isAllowed(toolRequest: ToolRequest): Promise<boolean> {
    return (
      decide(await resolveRequest(toolRequest, this.#options.resolveRealPath), await this.#currentState()).type ===
      "allowed"
    );
  }

  /**
   * Whether a move in the session tree may restore a file. It is judged as `write` in mode `editFile`, whatever the mode, and nobody is
   * asked: the paths come from a session file, which anybody may have written.
   */
  async permitRestore(path: string): Promise<RestorePermission> {
    const toolRequest: ToolRequest = { tool: "write", arguments: { path }, intent: { type: "change", paths: [path] } };
    const request = await resolveRequest(toolRequest, this.#options.resolveRealPath);
    const decision = decide(request, { ...(await this.#currentState()), mode: "edit" });
    const [resolved] = request.resolvedPaths;
    const realPath = (resolved?.native ?? resolved)?.realPath ?? null;
    if (decision.type === "allowed" && realPath !== null) return { type: "permitted", realPath };
    return { type: "refused", why: describeRestoreRefusal(decision) };
  }

  describeState(): string {
    const { allow, ask, deny } = this.#rules;
    const ruleLines = Object.entries({ deny, ask, allow }).flatMap(([effect, rules]) =>
      [...new Set(rules.map(({ text }) => text))].sort().map((text) => `${effect} ${text}`),
    );
    return [`mode ${this.#mode}`, ...ruleLines].join("\n");
  }

  async #currentState(): Promise<PermissionState> {
    this.#paths ??= resolvePermissionPaths(this.#options.paths, this.#options.resolveRealPath);
    return { mode: this.#mode, rules: this.#rules, paths: await this.#paths, limits: this.#options.limits };
  }

  /** One question at a time: the answer to one may settle the next. */
  #enqueueQuestion(question: () => Promise<PermissionResult>): Promise<PermissionResult> {
    const result = this.#lastQuestion.then(question);
    // How it failed is told to whoever asked.
    this.#lastQuestion = result.catch(() => undefined);
    return result;
  }

  async #askUser(
    request: PermissionRequest,
    { ask, signal }: { readonly ask: AskPermission; readonly signal: AbortSignal },
  ): Promise<PermissionResult> {
    const state = await this.#currentState();
    const decision = decide(request, state);
    const getAuditReason = (): Pick<AuditDecision, "because" | "rules"> =>
      decision.type === "asked" ? auditReason(decision, { request, state }) : {};
    if (signal.aborted) return this.#record(cancelledResult, request, { by: "stopped", ...getAuditReason() });
    if (decision.type !== "asked") return this.#resolveWithoutUser(decision, { request, state });
    const modeChange = this.#watchModeChange(request);
    const questionSignal = AbortSignal.any([signal, modeChange.signal]);
    try {
      const answer = await raceAbort(
        ask(this.#createQuestion(request, decision, state.paths), { signal: questionSignal }),
        questionSignal,
      );
      const result = modeChange.permit();
      if (result) return this.#record(result, request, { by: "mode", ...getAuditReason() });
      if (answer === null) return this.#record(cancelledResult, request, { by: "stopped", ...getAuditReason() });
      return this.#record(await this.#applyAnswer(request, answer), request, { by: "user", ...getAuditReason() });
    } finally {
      this.#recheckOpenQuestion = null;
    }
  }

  #resolveWithoutUser(decision: Exclude<Decision, { type: "asked" }>, context: DecisionContext): PermissionResult {
    const result = toPermissionResult(decision, context);
    if (!this.#options.audit) return result;
    return this.#record(result, context.request, explainDecision(context.request, context.state, decision));
  }

  #record(
    result: PermissionResult,
    request: PermissionRequest,
    explanation: Pick<AuditDecision, "by" | "rules" | "because">,
  ): PermissionResult {
    const { audit, redaction } = this.#options;
    const { rules = [], ...rest } = explanation;
    if (!audit) return result;
    const record: AuditRecord = {
      ...{ event: "decision", tool: request.toolRequest.tool, what: describeRequest(request, redaction) },
      ...{ decision: result.type, ...rest, ...(rules.length > 0 && { rules }), mode: this.#mode },
    };
    // A rule that the user wrote may have a secret in it, too.
    audit(redaction ? redaction.redact(record) : record);
    return result;
  }

  /** The question is withdrawn, by its signal, once the mode needs none any more. */
  #watchModeChange(request: PermissionRequest): {
    readonly signal: AbortSignal;
    readonly permit: () => PermissionResult | null;
  } {
    const controller = new AbortController();
    let result: PermissionResult | null = null;
    this.#recheckOpenQuestion = async () => {
      const state = await this.#currentState();
      const decision = decide(request, state);
      if (decision.type === "asked" || result) return;
      result = toPermissionResult(decision, { request, state });
      controller.abort();
    };
    return { signal: controller.signal, permit: () => result };
  }

  #createQuestion(request: PermissionRequest, decision: AskDecision, paths: PermissionPaths): PermissionQuestion {
    const { redaction } = this.#options;
    const question = createQuestion(request, decision, paths);
    return redaction
      ? redactQuestion(question, createQuestion(redaction.redact(request), decision, paths), redaction)
      : question;
  }

  async #applyAnswer(request: PermissionRequest, answer: PermissionAnswer): Promise<PermissionResult> {
    if (answer.type !== "yes") return { type: "refused", why: denialMessage(answer.word) };
    // The mode may have become a stricter one while the question stood.
    const state = await this.#currentState();
    const decision = decide(request, state);
    if (decision.type === "refused") return decision;
    if (answer.remember) await this.#remember(answer.remember);
    else if (decision.type === "asked" && isSessionWide(request, decision.reason)) this.#allowInSession(request, state);
    return { type: "permitted", grant: createGrant(request, state) };
  }

  /** PERM26: the narrowest rule that a question would have offered. */
  #allowInSession(request: PermissionRequest, { paths }: PermissionState): void {
    const [rule] = suggestRules(request, paths);
    if (rule) this.#addRule(rule, "session");
  }

  async #remember({
    rule,
    for: scope,
  }: NonNullable<Extract<PermissionAnswer, { type: "yes" }>["remember"]>): Promise<void> {
    this.#addRule(rule, scope);
    if (scope === "project") await this.#options.ruleStore?.remember(rule);
  }

  #addRule(rule: Rule, scope: "session" | "project"): void {
    this.#rules = { ...this.#rules, allow: [...this.#rules.allow, { ...rule, source: scope }] };
    this.#options.audit?.({ event: "grant", rule: rule.text, for: scope, mode: this.#mode });
  }
}

const cancelledResult: PermissionResult = {
  type: "refused",
  why: "not permitted: it was broken off before anybody had answered",
};

interface DecisionContext {
  readonly request: PermissionRequest;
  readonly state: PermissionState;
}

/** Why it is asked; the rules, where one of them is the reason. */
function auditReason(
  { reason }: Extract<Decision, { type: "asked" }>,
  { request, state }: DecisionContext,
): Pick<AuditDecision, "because" | "rules"> {
  return reason === "rule" || reason === "doubt"
    ? { because: reason, rules: findAskingRules(request, state) }
    : { because: reason };
}

function toPermissionResult(
  decision: Exclude<Decision, { type: "asked" }>,
  { request, state }: DecisionContext,
): PermissionResult {
  return decision.type === "allowed" ? { type: "permitted", grant: createGrant(request, state) } : decision;
}

function denialMessage(reason: string | undefined): string {
  return reason ? `the user did not permit it: ${reason}` : "the user did not permit it";
}

function describeRestoreRefusal(decision: Decision): string {
  if (decision.type === "refused") return decision.why;
  if (decision.type === "asked" && decision.reason !== "mode")
    return "a rule wants you to be asked before it is changed";
  switch (decision.type === "asked" ? decision.action : "unknown") {
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
 * the whole conversation anyway; no host that the model names is reached, so it need not be asked about as `fetchPackage` is. Whoever is asked about
 * everything, or has a rule that holds fetching back, would not expect it: its pages cannot be permitted one by one.
 */
export function allowsProviderSearch({
  mode,
  rules,
  limits,
}: Pick<PermissionState, "mode" | "rules" | "limits">): boolean {
  if (limits?.hosts) return false;
  const isFetchRule = ({ tool }: Rule): boolean => tool === "fetch" || tool === "network";
  if ([...rules.deny, ...rules.ask].some(isFetchRule)) return false;
  return mode !== "ask" || rules.allow.some((rule) => isFetchRule(rule) && rule.pattern === null);
}
