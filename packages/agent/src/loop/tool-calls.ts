/** Permits and runs the tool calls of a reply. A call that must not run twice is announced in the log before it runs. */

import type { Runtime, Session, ToolCallBlock, ToolResultMessage } from "@pith/context";
import { AppendError, appendEntries } from "../append-entries.ts";
import { type EmitEvent, runWithEvents, withStopGrace } from "../async.ts";
import type { AgentEvent } from "../events.ts";
import {
  runToolCallHooks,
  runToolResultHooks,
  type ToolCallHookResult,
  withChangedInput,
} from "../hooks/tool-hooks.ts";
import { INTENT_TYPE, type OpenCall } from "../pending-work.ts";
import type { CallPermissionResult, RecordedCall } from "../permissions/request.ts";
import { UNKNOWN_SECRET_ADVICE } from "../redaction.ts";
import type { RunContext } from "../run-context.ts";
import type { Intent, Tool, ToolCall, ToolOutput } from "../tool.ts";
import { errorOutput } from "../tools/tool-io.ts";
import { computeMaxOutputBytes, markOutcome, type ResultContext, recordResult } from "./tool-results.ts";

type CallContext = ResultContext & Pick<RunContext, "tools" | "permissions" | "secrets">;

/** The results of the calls that ended, in the order of the calls. */
export interface CallsOutcome {
  readonly results: readonly ToolResultMessage[];
  /** Whether a call stays open until the user answers its question. Every call after its group stays open, too. */
  readonly waitsForAnswer: boolean;
}

/**
 * Runs the calls of a reply: concurrent ones together, at most 8 at once, all others in order. Each result is appended as soon as it is there.
 * If a result cannot be appended, the other calls are aborted and awaited before the error is thrown.
 * RUN22: nothing is recorded for a call that waits for an answer. When the open calls are run again, their `tool_call` hooks run again.
 */
export function runCalls(calls: readonly OpenCall[], run: CallContext): AsyncGenerator<AgentEvent, CallsOutcome> {
  const failureController = new AbortController();
  const stoppableRun = { ...run, signal: AbortSignal.any([run.signal, failureController.signal]) };
  const refusal = calls.length > MAX_CALLS ? tooManyCallsNote(calls.length) : null;
  const work = async (emit: EmitEvent<AgentEvent>): Promise<CallsOutcome> => {
    const runOne = (openCall: OpenCall): Promise<ToolResultMessage | null> =>
      runCall(openCall, { run: stoppableRun, emit, refusal });
    const results: ToolResultMessage[] = [];
    for (const group of groupCalls(calls, run.tools)) {
      const groupResults = await mapConcurrently(group, runOne, failureController);
      results.push(...groupResults.filter((result) => result !== null));
      if (groupResults.includes(null)) return { results, waitsForAnswer: true };
    }
    return { results, waitsForAnswer: false };
  };
  return runWithEvents(work, { shouldReplace: isNewerUpdate });
}

// EVT6: for a slow reader of events, only the newest update of a call is kept.
function isNewerUpdate(earlier: AgentEvent, later: AgentEvent): boolean {
  if (earlier.type !== "tool_execution_update" || later.type !== "tool_execution_update") return false;
  return earlier.toolCallId === later.toolCallId;
}

// BOUND5
const MAX_CALLS = 256;
const MAX_CONCURRENT_CALLS = 8;

function tooManyCallsNote(count: number): string {
  return `not run: the reply has ${count} tool calls, and the limit is ${MAX_CALLS}, so none of them ran. Make fewer calls in one reply, or combine several into one command.`;
}

/** Returns the results in the order of the calls. After a failure no further call starts. */
async function mapConcurrently(
  calls: readonly OpenCall[],
  runOne: (openCall: OpenCall) => Promise<ToolResultMessage | null>,
  failureController: AbortController,
): Promise<readonly (ToolResultMessage | null)[]> {
  const results: (ToolResultMessage | null)[] = [];
  let next = 0;
  const runNext = async (): Promise<void> => {
    while (next < calls.length && !failureController.signal.aborted) {
      const index = next;
      next += 1;
      const openCall = calls[index];
      if (openCall) results[index] = await runOne(openCall);
    }
  };
  const runners = Array.from({ length: MAX_CONCURRENT_CALLS }, runNext);
  for (const runner of runners) runner.catch(() => failureController.abort());
  await Promise.allSettled(runners);
  await Promise.all(runners);
  return results;
}

/** RUN13: consecutive concurrent calls form a group, and each other call is a group of its own. The groups run one after the other. */
function groupCalls(calls: readonly OpenCall[], tools: readonly Tool[]): readonly (readonly OpenCall[])[] {
  const groups: OpenCall[][] = [];
  let isGroupOpen = false;
  for (const openCall of calls) {
    const canJoin = isConcurrent(openCall.call, tools);
    if (canJoin && isGroupOpen) groups.at(-1)?.push(openCall);
    else groups.push([openCall]);
    isGroupOpen = canJoin;
  }
  return groups;
}

function isConcurrent({ name, arguments: args }: ToolCallBlock, tools: readonly Tool[]): boolean {
  const tool = tools.find((each) => each.name === name);
  if (typeof tool?.isConcurrent !== "function") return tool?.isConcurrent === true;
  try {
    return tool.isConcurrent(args) === true;
  } catch {
    // The tool cannot read its arguments, so the call keeps its place in the order.
    return false;
  }
}

interface RunCallOptions {
  readonly run: CallContext;
  readonly emit: EmitEvent<AgentEvent>;
  /** The reason why no call of the reply runs. It is the result of each. */
  readonly refusal?: string | null;
}

/** Null: the call waits for the user's answer and stays open. */
async function runCall(openCall: OpenCall, { run, emit, refusal }: RunCallOptions): Promise<ToolResultMessage | null> {
  const blockReason = refusal ?? findCallError(openCall, run.tools);
  const hookResult =
    blockReason === null
      ? await runToolCallHooks(openCall, run)
      : { type: "blocked" as const, why: blockReason, open: openCall };
  // SAY4: the events show the arguments that run, which a hook may have changed.
  const { id: toolCallId, name: toolName, arguments: args } = hookResult.open.call;
  const callFields = { toolCallId, toolName, args };
  const { session, runtime } = run;
  const stopwatch = createStopwatch(runtime);
  const start = (): void => {
    if (stopwatch.start()) emit({ type: "tool_execution_start", ...callFields });
  };
  const update = (text: string): void =>
    emit({ type: "tool_execution_update", ...callFields, partialResult: session.redact(text) });
  const callOutput = await callTool(hookResult, { run, start, update, waitForUser: stopwatch.waitForUser });
  if (callOutput === WAITS_FOR_ANSWER) return null;
  start();
  const durationMs = stopwatch.elapsedMs();
  const markedOutput = run.signal.aborted && callOutput?.isError ? markOutcome(callOutput, "stopped") : callOutput;
  const output = await runToolResultHooks(hookResult.open, markedOutput, run);
  const result = await recordResult(openCall, output, run);
  emit({ type: "tool_execution_end", ...callFields, result, isError: result.isError, durationMs });
  return result;
}

/** RUN17: measures how long a tool works. It stands still while the user is asked. */
function createStopwatch({ now }: Pick<Runtime, "now">) {
  let [startedAt, waitingMs, openQuestions, questionAt]: [number | null, number, number, number] = [null, 0, 0, 0];
  return {
    /** Returns false if it was started before. */
    start: () => {
      const isFirst = startedAt === null;
      startedAt ??= now();
      return isFirst;
    },
    waitForUser: async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
      if (openQuestions === 0) questionAt = now();
      openQuestions += 1;
      try {
        return await ask();
      } finally {
        openQuestions -= 1;
        if (openQuestions === 0) waitingMs += now() - questionAt;
      }
    },
    elapsedMs: () => {
      const openMs = openQuestions > 0 ? now() - questionAt : 0;
      return startedAt === null ? 0 : Math.max(0, now() - startedAt - waitingMs - openMs);
    },
  };
}

/** Why the call cannot run, or null. */
function findCallError({ call }: OpenCall, tools: readonly Tool[]): string | null {
  if (!tools.some(({ name }) => name === call.name))
    return `unknown tool ${call.name}; available tools: ${tools.map(({ name }) => name).join(", ")}`;
  return call.pith ? `the arguments are not a JSON object: ${call.pith.unread.slice(0, 500)}` : null;
}

/** In place of the output: the question about the call is answered later. A symbol, because a broken tool can return anything else. */
const WAITS_FOR_ANSWER = Symbol("waits for the answer");

type CallOutput = ToolOutput | typeof WAITS_FOR_ANSWER;

/** Calls the tool with its secrets, if it is permitted. An error becomes the output. */
async function callTool(hookResult: ToolCallHookResult, options: ToolRunOptions): Promise<CallOutput> {
  const { run } = options;
  const tool = run.tools.find(({ name }) => name === hookResult.open.call.name);
  if (hookResult.type === "blocked") return errorOutput(hookResult.why);
  if (!tool) throw new Error(`the tool ${hookResult.open.call.name} does not exist`);
  try {
    const restored = await restoreCallSecrets(hookResult.open, tool, run);
    if (restored.type === "unknown") return errorOutput(restored.why);
    const output = await runIfPermitted(restored.openCall, tool, {
      ...options,
      recorded: findRecordedCall(hookResult, run.session),
    });
    if (output === WAITS_FOR_ANSWER || !hookResult.isChanged) return output;
    return withChangedInput(output, hookResult.open.call.arguments);
  } catch (error) {
    if (error instanceof AppendError) throw error;
    // The model can react to an error of a tool or of the permission check.
    return errorOutput(error instanceof Error ? error.message : String(error));
  }
}

interface ToolRunOptions extends Required<Pick<ToolCall, "update" | "waitForUser">> {
  readonly run: CallContext;
  /** Called when the call is permitted and starts. */
  readonly start: () => void;
}

/** A hook that changes the arguments records them in the details of the result. */
function findRecordedCall(
  { open, isChanged }: Extract<ToolCallHookResult, { type: "continue" }>,
  session: Session,
): RecordedCall {
  const { call, replyId } = open;
  const { number: entry } = session.branch.entries.findLast(({ id }) => id === replyId) ?? {};
  return { callId: call.id, entry, arguments: isChanged ? session.redact(call.arguments) : call.arguments };
}

type PermittedCallOptions = ToolRunOptions & { readonly recorded: RecordedCall };

async function runIfPermitted(openCall: OpenCall, tool: Tool, options: PermittedCallOptions): Promise<CallOutput> {
  const { run, start, update, waitForUser, recorded } = options;
  const { session, signal, model, runtime } = run;
  if (signal.aborted) return STOPPED_OUTPUT;
  const permission = await checkPermission(openCall, tool, { run, recorded });
  if (permission.type === "refused") return describeRefusal(permission, signal);
  if (permission.type === "later") return signal.aborted ? STOPPED_OUTPUT : WAITS_FOR_ANSWER;
  if (!tool.isIdempotent && !openCall.mayHaveStarted) await recordIntent(openCall.call, session);
  if (signal.aborted) return STOPPED_OUTPUT;
  const { id, arguments: args } = openCall.call;
  const { grant } = permission;
  const maxOutputBytes = computeMaxOutputBytes(model.contextWindow);
  let lastUpdate = "";
  const recordUpdate = (text: string): void => {
    lastUpdate = text;
    update(text);
  };
  const call: ToolCall = {
    ...{ id, arguments: args, signal, maxOutputBytes, update: recordUpdate, waitForUser },
    ...(grant && { grant }),
  };
  start();
  const fallback = (): ToolOutput => errorOutput(stillStoppingText(lastUpdate));
  const output = await withStopGrace(async () => tool.run(call), { signal, runtime, fallback });
  return appendNote(output, placeholderNote(openCall, tool, run));
}

const NOT_RUN_STOPPED = "not run: stopped by the user";
const STOPPED_OUTPUT = errorOutput(NOT_RUN_STOPPED);

/** A tool that does not react to the abort in time loses its result, so its newest output is kept instead. */
function stillStoppingText(lastUpdate: string): string {
  const note = "stopped by the user; the tool may still be running for a moment";
  return lastUpdate.trim() === "" ? note : `${lastUpdate.trimEnd()}\n\n${note}`;
}

/** If the run was stopped during the question, the call counts as stopped, not as denied. */
function describeRefusal({ why }: { readonly why: string }, signal: AbortSignal): ToolOutput {
  return signal.aborted ? errorOutput(why) : markOutcome(errorOutput(why), "denied");
}

/** The entry is on disk before the call runs. */
async function recordIntent({ id: callId }: ToolCallBlock, session: Session): Promise<void> {
  await appendEntries(session, { type: "custom", customType: INTENT_TYPE, data: { callId } });
}

type RestoreCallResult =
  | { readonly type: "restored"; readonly openCall: OpenCall }
  /** `why` is the result for the model. */
  | { readonly type: "unknown"; readonly why: string };

// SEC6: file tools get the secrets, tools that could send them elsewhere get the placeholders. The log and the events keep placeholders.
async function restoreCallSecrets(
  openCall: OpenCall,
  tool: Tool,
  { secrets }: CallContext,
): Promise<RestoreCallResult> {
  if (!secrets || !tool.restoresSecrets) return { type: "restored", openCall };
  const restored = await secrets.restore(openCall.call.arguments);
  if (restored.type === "unknown") return { type: "unknown", why: unknownPlaceholdersNote(restored.placeholders) };
  return { type: "restored", openCall: { ...openCall, call: { ...openCall.call, arguments: restored.value } } };
}

function unknownPlaceholdersNote(placeholders: readonly string[]): string {
  const predicate =
    placeholders.length === 1 ? "is a placeholder for a secret that is" : "are placeholders for secrets that are";
  return `not run: ${placeholders.join(", ")} ${predicate} no longer known; ${UNKNOWN_SECRET_ADVICE}`;
}

/** A call that may have run before needs the permission of the user to run again, unless its tool is idempotent. */
async function checkPermission(
  { call, mayHaveStarted }: OpenCall,
  tool: Tool,
  { run, recorded }: Pick<PermittedCallOptions, "run" | "recorded">,
): Promise<CallPermissionResult> {
  const { permissions, signal, runtime } = run;
  const isRepeated = mayHaveStarted && !tool.isIdempotent;
  // RUN8: without a permission check the user cannot be asked, so the call is not run again.
  if (!permissions) return isRepeated ? { type: "refused", why: UNKNOWN_OUTCOME } : { type: "permitted" };
  const request = {
    tool: tool.name,
    arguments: call.arguments,
    intent: readIntent(call, tool),
    ...(isRepeated && { isAgain: isRepeated }),
    recorded,
  };
  const ask = async (): Promise<CallPermissionResult> => permissions.permit(request, { signal, mayAnswerLater: true });
  const permission = await withStopGrace(ask, { signal, runtime, fallback: () => STOPPED_PERMISSION });
  return permission.type === "refused" && isRepeated
    ? { ...permission, why: `${UNKNOWN_OUTCOME} (${permission.why})` }
    : permission;
}

const STOPPED_PERMISSION: CallPermissionResult = { type: "refused", why: NOT_RUN_STOPPED };

const UNKNOWN_OUTCOME =
  "interrupted: Pith ended while this call was running, so it may or may not have completed. It was not run again; check the current state before repeating it";

function readIntent({ arguments: args }: ToolCallBlock, tool: Tool): Intent | null {
  try {
    return tool.intent?.(args) ?? null;
  } catch {
    // The tool cannot read its arguments, so the permission check treats the call as unknown.
    return null;
  }
}

/** SEC17: tells the model that the tool got the placeholder and not the secret, and what to do. Null without placeholders. */
function placeholderNote({ call }: OpenCall, tool: Tool, { secrets, tools }: CallContext): string | null {
  if (!secrets || tool.restoresSecrets) return null;
  const intent = readIntent(call, tool);
  const namedSecrets = intent?.type === "command" ? (intent.secrets ?? []) : [];
  const placeholders = secrets.listPlaceholders(call.arguments).filter((each) => !namedSecrets.includes(each));
  if (placeholders.length === 0) return null;
  const verb = placeholders.length === 1 ? "was" : "were";
  const bashHint = tools.some(({ name }) => name === "bash") ? "name it in bash's `secrets`, with `hosts`, or " : "";
  return `${placeholders.join(", ")} ${verb} passed literally, not replaced by the secret. To use the real value, ${bashHint}use a file tool, which restores it.`;
}

function appendNote(output: ToolOutput, note: string | null): ToolOutput {
  return note === null || !Array.isArray(output?.content)
    ? output
    : { ...output, content: [...output.content, { type: "text", text: note }] };
}

/** Appends an error result for calls that will not run, because providers require a result for each call. */
export async function closeCalls(calls: readonly OpenCall[], run: ResultContext): Promise<void> {
  for (const openCall of calls)
    await recordResult(openCall, errorOutput(openCall.mayHaveStarted ? INTERRUPTED : NO_RESULT), run);
}

const INTERRUPTED =
  "interrupted: Pith ended while this call was running, so it may or may not have completed. Check the current state before repeating it";
const NO_RESULT = "no result: the run ended before this call completed";
