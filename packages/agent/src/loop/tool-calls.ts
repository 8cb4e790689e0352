/** Permits and runs the tool calls of a reply. A call that must not run twice is announced in the log before it runs. */

import type { ToolCallBlock, ToolResultMessage } from "@pith/context";
import { appended, NotWritten } from "../append.ts";
import { during, type Tell, untilStopped } from "../async.ts";
import type { AgentEvent } from "../events.ts";
import { type HookedCall, hookedCall, hookedResult, withInput } from "../hooks/tool-hooks.ts";
import type { Permit } from "../permissions/request.ts";
import type { Intent, Tool, ToolCall, ToolOutput } from "../tool.ts";
import { INTENT, type OpenCall } from "./pending-work.ts";
import type { RunParts } from "./run-context.ts";
import { answered, failed, roomIn } from "./tool-results.ts";

/** A call that may have been run before is never run again without asking. */
export async function permitFor({ call, isBegun }: OpenCall, tool: Tool, parts: RunParts): Promise<Permit> {
  const { permits, signal, ports } = parts;
  const isAgain = isBegun && !tool.isIdempotent;
  // RUN8: without anybody to ask, what may have been done is not done again.
  if (!permits) return isAgain ? { type: "refused", why: UNKNOWN } : { type: "permitted" };
  const act = { tool: tool.name, arguments: call.arguments, intent: intentOf(call, tool), ...(isAgain && { isAgain }) };
  const asking = async (): Promise<Permit> => permits.permit(act, { signal });
  const permit = await untilStopped(asking, { signal, ports, otherwise: STOPPED_PERMIT });
  return permit.type === "refused" && isAgain ? { ...permit, why: `${UNKNOWN} (${permit.why})` } : permit;
}

const STOPPED_PERMIT: Permit = { type: "refused", why: "it was not run: the user stopped" };

const UNKNOWN =
  "it was running when the program ended; whether it was done is not known, and it was not run again: look before you repeat it";

/** What a tool cannot say of its own arguments is not said. */
function intentOf({ arguments: args }: ToolCallBlock, tool: Tool): Intent | null {
  try {
    return tool.intent?.(args) ?? null;
  } catch {
    // Then it may be anything, and is permitted as such.
    return null;
  }
}

export type RestoredCall =
  | { readonly type: "restored"; readonly open: OpenCall }
  /** `why` is told to the model. */
  | { readonly type: "unknown"; readonly why: string };

// SEC6: no placeholder reaches a file, and no secret a tool that could send it away; the log and the events keep the placeholders.
export async function restoredCall(open: OpenCall, tool: Tool, { secrets }: RunParts): Promise<RestoredCall> {
  if (!secrets || !tool.restoresSecrets) return { type: "restored", open };
  const restored = await secrets.restored(open.call.arguments);
  if (restored.type === "unknown") return { type: "unknown", why: unknown(restored.placeholders) };
  return { type: "restored", open: { ...open, call: { ...open.call, arguments: restored.value } } };
}

function unknown(placeholders: readonly string[]): string {
  const stand = placeholders.length === 1 ? "stands for a secret that is" : "stand for secrets that are";
  const read = "read the file that holds it again, or ask the user for it, then repeat the call";
  return `it was not run: ${placeholders.join(", ")} ${stand} not known any more; ${read}`;
}

/** SEC17: a model that meant the secret learns that its placeholder was used, and what to do. Null where there is nothing to say. */
function passedAsIs({ call }: OpenCall, tool: Tool, { secrets, tools }: RunParts): string | null {
  if (!secrets || tool.restoresSecrets) return null;
  const intent = intentOf(call, tool);
  const named = intent?.type === "command" ? (intent.secrets ?? []) : [];
  const placeholders = secrets.placeholdersIn(call.arguments).filter((each) => !named.includes(each));
  if (placeholders.length === 0) return null;
  const was = placeholders.length === 1 ? "was" : "were";
  const bash = tools.some(({ name }) => name === "bash") ? "name it in `secrets` of bash, with `hosts`; " : "";
  return `${placeholders.join(", ")} ${was} passed as written, not as the secret. For the true value: ${bash}file tools restore it by themselves.`;
}

function withNote(output: ToolOutput, note: string | null): ToolOutput {
  return note === null || !Array.isArray(output?.content)
    ? output
    : { ...output, content: [...output.content, { type: "text", text: note }] };
}

export interface Running {
  readonly parts: RunParts;
  readonly tell: Tell<AgentEvent>;
  /** Why none of the reply's calls is run; the result of each. */
  readonly refusal?: string | null;
}

export async function runCall(open: OpenCall, { parts, tell, refusal }: Running): Promise<ToolResultMessage> {
  const fault = refusal ?? faultIn(open, parts);
  const hooked = fault === null ? await hookedCall(open, parts) : { type: "blocked" as const, why: fault, open };
  // SAY4: what is told is what is run.
  const { id: toolCallId, name: toolName, arguments: args } = hooked.open.call;
  const told = { toolCallId, toolName, args };
  tell({ type: "tool_execution_start", ...told });
  const { session } = parts;
  const update = (text: string): void =>
    tell({ type: "tool_execution_update", ...told, partialResult: session.redact(text) });
  const output = await hookedResult(hooked.open, await outputOf(hooked, parts, update), parts);
  const result = await answered(open, output, parts);
  tell({ type: "tool_execution_end", ...told, result, isError: result.isError });
  return result;
}

/** Why nobody can run it; null where somebody can. */
function faultIn({ call }: OpenCall, { tools }: RunParts): string | null {
  if (!tools.some(({ name }) => name === call.name))
    return `there is no tool ${call.name}; there are: ${tools.map(({ name }) => name).join(", ")}`;
  return call.pith ? `the arguments are no JSON object: ${call.pith.unread.slice(0, 500)}` : null;
}

async function outputOf(hooked: HookedCall, parts: RunParts, update: (text: string) => void): Promise<ToolOutput> {
  const tool = parts.tools.find(({ name }) => name === hooked.open.call.name);
  if (hooked.type === "blocked") return failed(hooked.why);
  if (!tool) throw new Error(`the tool ${hooked.open.call.name} is gone`);
  try {
    const restored = await restoredCall(hooked.open, tool, parts);
    if (restored.type === "unknown") return failed(restored.why);
    const output = await permittedOutput(restored.open, tool, { parts, update });
    return hooked.isChanged ? withInput(output, hooked.open.call.arguments) : output;
  } catch (error) {
    if (error instanceof NotWritten) throw error;
    // Whatever a tool, or who permits it, throws is something the model can answer to.
    return failed(error instanceof Error ? error.message : String(error));
  }
}

interface ToolRun {
  readonly parts: RunParts;
  readonly update: (text: string) => void;
}

async function permittedOutput(open: OpenCall, tool: Tool, { parts, update }: ToolRun): Promise<ToolOutput> {
  const { session, signal, model, ports } = parts;
  if (signal.aborted) return STOPPED;
  const permit = await permitFor(open, tool, parts);
  if (permit.type === "refused") return failed(permit.why);
  if (!tool.isIdempotent && !open.isBegun) await announce(open.call, session);
  if (signal.aborted) return STOPPED;
  const { id, arguments: args } = open.call;
  const { leave } = permit;
  const room = roomIn(model.contextWindow);
  const call: ToolCall = { id, arguments: args, signal, room, update, ...(leave && { leave }) };
  const output = await untilStopped(async () => tool.run(call), { signal, ports, otherwise: LEFT });
  return withNote(output, passedAsIs(open, tool, parts));
}

const STOPPED = failed("it was not run: the user stopped");
const LEFT = failed("it was stopped, and may take a moment to end");

/** On the disk before it is run. */
async function announce({ id: callId }: ToolCallBlock, session: RunParts["session"]): Promise<void> {
  await appended(session, { type: "custom", customType: INTENT, data: { callId } });
}

/** Runs the calls of a reply, at most 8 at once and as their order allows; each result is in the log as soon as it is there. */
export async function* runCalls(
  calls: readonly OpenCall[],
  parts: RunParts,
): AsyncGenerator<AgentEvent, readonly ToolResultMessage[]> {
  return yield* during<AgentEvent, readonly ToolResultMessage[]>((tell) => all(calls, parts, tell), { replaces });
}

// EVT6: of what a call says while nobody looks, the newest is enough.
function replaces(earlier: AgentEvent, later: AgentEvent): boolean {
  if (earlier.type !== "tool_execution_update" || later.type !== "tool_execution_update") return false;
  return earlier.toolCallId === later.toolCallId;
}

/** Where the result of one cannot be kept, the others are stopped, and nobody goes on before they have ended. */
async function all(
  calls: readonly OpenCall[],
  parts: RunParts,
  tell: Tell<AgentEvent>,
): Promise<readonly ToolResultMessage[]> {
  const trouble = new AbortController();
  const stoppable = { ...parts, signal: AbortSignal.any([parts.signal, trouble.signal]) };
  const refusal = calls.length > MOST_CALLS ? tooManyCalls(calls.length) : null;
  const runOne = (open: OpenCall): Promise<ToolResultMessage> =>
    parts.step(open.id, () => runCall(open, { parts: stoppable, tell, refusal }));
  const results: ToolResultMessage[] = [];
  for (const group of groupCalls(calls, parts)) results.push(...(await runSome(group, runOne, trouble)));
  return results;
}

/** BOUND5: in one reply, and of these at once. */
const MOST_CALLS = 256;
const MOST_AT_ONCE = 8;

function tooManyCalls(count: number): string {
  return `it was not run, and neither were the others: the reply has ${count} tool calls, and at most ${MOST_CALLS} are run. Make fewer calls in one reply, or use one command that does the work of many.`;
}

/** The results in the order of the calls, however they ended. After a failure no other call begins. */
async function runSome(
  calls: readonly OpenCall[],
  runOne: (open: OpenCall) => Promise<ToolResultMessage>,
  trouble: AbortController,
): Promise<readonly ToolResultMessage[]> {
  const results: ToolResultMessage[] = [];
  let next = 0;
  const runNext = async (): Promise<void> => {
    while (next < calls.length && !trouble.signal.aborted) {
      const at = next;
      next += 1;
      const open = calls[at];
      if (open) results[at] = await runOne(open);
    }
  };
  const runners = Array.from({ length: MOST_AT_ONCE }, runNext);
  for (const runner of runners) runner.catch(() => trouble.abort());
  await Promise.allSettled(runners);
  await Promise.all(runners);
  return results;
}

/** RUN13: a command or a read that follows a file change in the same reply sees the changed file, and the other way round. */
function groupCalls(calls: readonly OpenCall[], { tools }: RunParts): readonly (readonly OpenCall[])[] {
  const groups: { readonly isChange: boolean; readonly calls: OpenCall[] }[] = [];
  for (const open of calls) {
    const tool = tools.find(({ name }) => name === open.call.name);
    const isChange = tool !== undefined && intentOf(open.call, tool)?.type === "change";
    const last = groups.at(-1);
    if (last?.isChange === isChange) last.calls.push(open);
    else groups.push({ isChange, calls: [open] });
  }
  return groups.map((group) => group.calls);
}

/** Answers calls that nobody will run any more, so that the conversation can go on. */
export async function closeCalls(calls: readonly OpenCall[], parts: RunParts): Promise<void> {
  for (const open of calls) await answered(open, failed(open.isBegun ? BROKEN_OFF : WITHOUT), parts);
}

const BROKEN_OFF = "it was running when the program ended; whether it was done is not known: look before you repeat it";
const WITHOUT = "there is no result: the program ended before it had one";
