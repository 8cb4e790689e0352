/** Decides about each tool call, asks the user and remembers rules. Only the user changes permissions; text in a session cannot. */

import type { Redaction } from "@pith/context";
import { raceAbort } from "../async.ts";
import type { RestorePermission } from "../rewind-files.ts";
import { isWithin } from "../text.ts";
import type { PermissionGrant } from "../tool.ts";
import {
  type AuditDecision,
  type AuditRecord,
  describeAction,
  describeRequest,
  explainDecision,
  findAskingRules,
} from "./audit.ts";
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
  cancelledResult,
  denialMessage,
  describeRestoreRefusal,
  expiredResult,
  notAnsweredResult,
  refusalWithoutUser,
} from "./refusals.ts";
import {
  type CallPermissionCheck,
  type CallPermissionResult,
  createResolvedPath,
  type PermissionCheck,
  type PermissionPaths,
  type PermissionPathsInput,
  type PermissionRequest,
  type PermissionResult,
  type PermitCallOptions,
  type ResolveRealPath,
  resolvePermissionPaths,
  resolveRequest,
  type ToolRequest,
} from "./request.ts";
import type { Rule } from "./rules.ts";

/** Options of `Permissions`. */
export interface PermissionsOptions {
  readonly mode: PermissionMode;
  readonly rules?: Partial<Rules>;
  readonly limits?: PolicyLimits | undefined;
  readonly paths: PermissionPathsInput;
  readonly resolveRealPath: ResolveRealPath;
  /** Absent if no user can be asked. Requests that need a question are then refused. */
  readonly ask?: AskPermission;
  /** How long a question of a running command, such as one about a host, waits for the answer before it counts as a no. Default: no limit. */
  readonly commandQuestionTimeoutMs?: number;
  readonly ruleStore?: RuleStore;
  /** Decisions use the real values of secrets; questions and remembered rules contain none. */
  readonly redaction?: Redaction;
  /** Receives each decision, each rule added by an answer, and each change of the mode. It must not block. */
  readonly audit?: (record: AuditRecord) => void;
}

/** Stores the rules of a project. The store itself notifies the user of a failure. */
export interface RuleStore {
  remember(rule: Rule): Promise<void>;
}

/** Decides which tool calls may run, by mode and rules, and asks the user. */
export class Permissions implements PermissionCheck, CallPermissionCheck {
  readonly #options: PermissionsOptions;
  #mode: PermissionMode;
  #rules: Rules;
  #paths: Promise<PermissionPaths> | null = null;
  #lastQuestion: Promise<unknown> = Promise.resolve();
  /** Command lines that the user permitted by an answer. */
  readonly #permittedLines = new Set<string>();
  /** When a change of each real path was last permitted. */
  readonly #permittedChanges = new Map<string, number>();
  /** Decides the open question again; null if none is open. */
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
   * Only the user may cause this call. PERM38: an open question is closed if the new mode decides it.
   * Throws if the limits exclude the mode; callers check this first.
   */
  setMode(mode: PermissionMode): void {
    const { limits } = this.#options;
    if (limits?.modes && !limits.modes.includes(mode))
      throw new Error(`${limits.source} does not allow the mode ${mode}`);
    if (mode !== this.#mode) this.#options.audit?.({ event: "mode", from: this.#mode, to: mode });
    this.#mode = mode;
    void this.#recheckOpenQuestion?.();
  }

  /** With `mayAnswerLater`, the user may answer the question `later`: nothing is decided or recorded, and the caller asks again. */
  permit(toolRequest: ToolRequest, options: PermitCallOptions): Promise<CallPermissionResult>;
  permit(toolRequest: ToolRequest, options: { readonly signal: AbortSignal }): Promise<PermissionResult>;
  async permit(
    toolRequest: ToolRequest,
    { signal, mayAnswerLater = false }: Pick<PermitCallOptions, "signal"> & Partial<PermitCallOptions>,
  ): Promise<CallPermissionResult> {
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
    const result = this.#enqueueQuestion(() => this.#askUser(request, { ask, signal, mayAnswerLater }));
    return (await raceAbort(result, signal)) ?? cancelledResult;
  }

  /** Whether the request would be permitted without a question. Asks and records nothing. */
  async isAllowed(toolRequest: ToolRequest): Promise<boolean> {
    return (
      decide(await resolveRequest(toolRequest, this.#options.resolveRealPath), await this.#currentState()).type ===
      "allowed"
    );
  }

  /** Whether the user read this command line in a question and permitted it. */
  hasPermittedLine(command: string): boolean {
    return this.#permittedLines.has(command);
  }

  /** Whether a file may appear at the path without a question: by mode and rules, or because a tool was just permitted to write it. */
  async mayAppear(path: string): Promise<boolean> {
    const permittedAt = this.#permittedChanges.get(path);
    if (permittedAt !== undefined && this.#permittedChanges.delete(path) && Date.now() - permittedAt < CHANGE_MS)
      return true;
    return await this.isAllowed({ tool: "write", arguments: { path }, intent: { type: "change", paths: [path] } });
  }

  /**
   * Whether a move in the session tree may restore a file. It is decided like a `write` in mode `edit` and never asks: the paths come
   * from a session file, which is not trusted.
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

  /** Whether Pith may reread a file automatically: reading it needs no question, and its real path is in the workspace. */
  async permitReread(path: string): Promise<RestorePermission> {
    const toolRequest: ToolRequest = { tool: "read", arguments: { path }, intent: { type: "look", paths: [path] } };
    const request = await resolveRequest(toolRequest, this.#options.resolveRealPath);
    const state = await this.#currentState();
    const [resolved] = request.resolvedPaths;
    const decision = decide(request, state);
    if (decision.type !== "allowed" || !resolved || resolved.realPath === null)
      return {
        type: "refused",
        why: decision.type === "refused" ? decision.why : "reading it needs the user's approval",
      };
    if (!isWithin(state.paths.root, resolved.realPath)) return { type: "refused", why: "it is outside the workspace" };
    return { type: "permitted", realPath: resolved.native?.realPath ?? resolved.realPath };
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

  /** Asks one question at a time, because an answer may decide the next one. */
  #enqueueQuestion(question: () => Promise<CallPermissionResult>): Promise<CallPermissionResult> {
    const result = this.#lastQuestion.then(question);
    // The caller handles the failure.
    this.#lastQuestion = result.catch(() => undefined);
    return result;
  }

  async #askUser(
    request: PermissionRequest,
    { ask, signal, mayAnswerLater }: PermitCallOptions & { readonly ask: AskPermission },
  ): Promise<CallPermissionResult> {
    const state = await this.#currentState();
    const decision = decide(request, state);
    const record = (result: PermissionResult, by: AuditDecision["by"]): PermissionResult =>
      this.#record(result, request, {
        by,
        ...(decision.type === "asked" && auditReason(decision, { request, state })),
      });
    if (signal.aborted) return record(cancelledResult, "stopped");
    if (decision.type !== "asked") return this.#resolveWithoutUser(decision, { request, state });
    const modeChange = this.#watchModeChange(request);
    const timeoutMs = mayAnswerLater ? undefined : this.#options.commandQuestionTimeoutMs;
    const timeout = createTimeout(timeoutMs);
    const questionSignal = AbortSignal.any([signal, modeChange.signal, timeout.signal]);
    try {
      const question = this.#createQuestion(request, decision, state.paths);
      const answer = await raceAbort(ask(question, { signal: questionSignal, mayAnswerLater }), questionSignal);
      const result = modeChange.permit();
      if (result) return record(result, "mode");
      // A prompt that is closed may still answer.
      if (timeout.signal.aborted && !signal.aborted) return record(expiredResult(timeoutMs ?? 0), "timeout");
      if (answer === null) return record(cancelledResult, "stopped");
      if (answer.type !== "later") return record(await this.#applyAnswer(request, answer), "user");
      return mayAnswerLater ? answer : record(notAnsweredResult, "unattended");
    } finally {
      timeout.clear();
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
    if (result.type === "permitted" && request.toolRequest.intent?.type === "change")
      for (const { realPath } of request.resolvedPaths)
        if (realPath !== null) this.#permittedChanges.set(realPath, Date.now());
    if (!audit) return result;
    const record: Omit<AuditDecision, "action" | "call" | "entry"> = {
      ...{ event: "decision", tool: request.toolRequest.tool, what: describeRequest(request, redaction) },
      ...{ decision: result.type, ...rest, ...(rules.length > 0 && { rules }), mode: this.#mode },
    };
    // A rule of the user may contain a secret.
    audit({ ...(redaction?.redact(record) ?? record), ...describeAction(request.toolRequest, redaction) });
    return result;
  }

  /** Aborts the question's signal when a change of the mode decides the request. */
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

  async #applyAnswer(
    request: PermissionRequest,
    answer: Exclude<PermissionAnswer, { type: "later" }>,
  ): Promise<PermissionResult> {
    if (answer.type !== "yes") return { type: "refused", why: denialMessage(answer.word) };
    // The mode may have become stricter while the question was open.
    const state = await this.#currentState();
    const decision = decide(request, state);
    if (decision.type === "refused") return decision;
    const { intent } = request.toolRequest;
    if (intent?.type === "command") this.#permittedLines.add(intent.command);
    if (answer.remember) await this.#remember(answer.remember);
    else if (decision.type === "asked" && isSessionWide(request, decision.reason)) this.#allowInSession(request, state);
    return { type: "permitted", grant: createGrant(request, state) };
  }

  /** PERM26: adds the narrowest suggested rule for this session. */
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

/** The time in which a tool makes a change that was permitted. */
const CHANGE_MS = 60_000;

/** Aborts its signal after the time. Without a time, it never does. */
function createTimeout(ms: number | undefined): {
  readonly signal: AbortSignal;
  readonly clear: () => void;
} {
  const controller = new AbortController();
  const timer = ms === undefined ? undefined : setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

interface DecisionContext {
  readonly request: PermissionRequest;
  readonly state: PermissionState;
}

/** The reason of a question, with the rules that caused it. */
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

/** Creates the grant of a permitted call: the real paths it may open, and a filter for the files below them. */
export function createGrant(request: PermissionRequest, state: PermissionState): PermissionGrant {
  // A question about a folder includes the files in it.
  const acceptedOutcomes = decide(request, state).type === "asked" ? ["allowed", "asked"] : ["allowed"];
  return {
    // An unresolved path is used as it is, and links in it are not followed.
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

/**
 * Whether the provider may search the web on its side. This needs no question as `fetch` does: the provider reads the whole conversation
 * anyway, and the model does not choose the hosts. It is off in mode `ask` and with rules against fetching, because the pages of
 * a search cannot be permitted one by one.
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
