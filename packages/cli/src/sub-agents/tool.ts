/** Runs the sub-agent tool: starts sub-agents, waits for some, or reads one. Stopping a call ends those it waits for. */

import type { ToolCall, ToolOutput } from "@pith/agent";
import type { AgentPart } from "./definitions.ts";
import { type Started, SUB_AGENT } from "./log.ts";
import type { Crew, Member, Starting, Task } from "./pool.ts";
import { endsOf, excerptOf, MOST_TOLD, progressLine, type Result, resultText } from "./result.ts";
import { transcriptPage } from "./session.ts";
import { BEGUN, wantedIn } from "./tool-input.ts";

export interface Waiting {
  readonly call: ToolCall;
  readonly crew: Crew;
}

/** In the order of their tasks. */
export async function endsOfAll(members: readonly Member[], { call, crew }: Waiting): Promise<readonly Result[]> {
  const stop = (): void => {
    for (const member of members) if (member.result === null) void crew.drop(member);
  };
  // It may have been stopped while they were being started.
  if (call.signal.aborted) stop();
  call.signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.all(members.map(({ ended }) => ended));
  } finally {
    call.signal.removeEventListener("abort", stop);
  }
}

export interface Chained {
  /** Of those before the last only that they are done: their words went on to the next. */
  readonly results: readonly Result[];
  /** Why the next could not be started. */
  readonly failures: readonly string[];
}

/** Passes the last text of each, verbatim, to the next. The first that is not done ends the chain. */
export async function inChain(tasks: readonly Task[], { call, crew }: Waiting): Promise<Chained> {
  const results: Result[] = [];
  for (const { agent, task } of tasks) {
    if (call.signal.aborted) break;
    const previous = results.at(-1)?.text ?? "";
    const member = await crew.start(
      { agent, task: filled(task, previous) },
      {
        isBackground: false,
        onProgress: () => typeof member !== "string" && call.update(progressLine(agent.name, member.progress)),
      },
    );
    if (typeof member === "string") return { results: passedOn(results), failures: [member] };
    results.push(...(await endsOfAll([member], { call, crew })));
    if (results.at(-1)?.status !== "done") break;
  }
  return { results: passedOn(results), failures: [] };
}

function passedOn(results: readonly Result[]): readonly Result[] {
  return results.map((result, at) => (at < results.length - 1 ? { ...result, text: "" } : result));
}

/** In one go, so that nothing that was said is ever taken for a place to fill. */
export function filled(task: string, previous: string): string {
  return task.replaceAll("{previous}", () => excerptOf(previous, MOST_PASSED).excerpt);
}

/** Bytes. */
const MOST_PASSED = 48 * 1024;

export interface Calling {
  readonly crew: Crew;
  readonly agents: readonly AgentPart[];
  /** Whether somebody stays when the model has no more to say: else nobody would hear of what ends later. */
  readonly stays: boolean;
  /** Those that were started here; all that ever were, where this one is not among the latest. */
  readonly known: (id: string) => Promise<readonly Started[]>;
}

export async function runTool(call: ToolCall, calling: Calling): Promise<ToolOutput> {
  const wanted = wantedIn(call.arguments, calling.agents);
  switch (wanted.type) {
    case "wrong":
      return { content: [{ type: "text", text: wanted.message }], isError: true };
    case "tasks":
      return wanted.isBackground && calling.stays
        ? await begun(wanted.tasks, call, calling)
        : await together(wanted.tasks, call, calling);
    case "chain": {
      const { results, failures } = await inChain(wanted.tasks, { call, crew: calling.crew });
      return ended(results, call.maxOutputBytes, failures);
    }
    case "wait":
      return await waited(wanted.ids, call, calling);
    case "read":
      return await read(wanted, call, calling);
  }
}

async function begun(tasks: readonly Task[], call: ToolCall, { crew }: Calling): Promise<ToolOutput> {
  const { members, failures } = await started(tasks, call, { crew, starting: { isBackground: true } });
  // Nobody is told of it any more.
  if (call.signal.aborted) await Promise.all(members.map((member) => crew.drop(member)));
  const lines = members.map(({ id, agent }) => `${id} (${agent}) ${BEGUN}`);
  const isError = members.length === 0;
  return { content: [{ type: "text", text: [...lines, ...failures].join("\n") }], ...(isError && { isError }) };
}

async function together(tasks: readonly Task[], call: ToolCall, { crew }: Calling): Promise<ToolOutput> {
  const members: Member[] = [];
  const starting: Starting = { isBackground: false, onProgress: () => call.update(linesOf(members)) };
  const { failures } = await started(tasks, call, { crew, starting, members });
  return ended(await endsOfAll(members, { call, crew }), call.maxOutputBytes, failures);
}

interface ToStart {
  readonly crew: Crew;
  readonly starting: Starting;
  /** Filled as they begin, for whoever tells of them meanwhile. */
  readonly members?: Member[];
}

async function started(tasks: readonly Task[], { signal }: ToolCall, { crew, starting, members = [] }: ToStart) {
  const failures: string[] = [];
  for (const task of tasks) {
    if (signal.aborted) break;
    const member = await crew.start(task, starting);
    if (typeof member === "string") failures.push(member);
    else members.push(member);
  }
  return { members, failures };
}

function linesOf(members: readonly Member[]): string {
  return members.map((member) => progressLine(member.agent, { ...member.progress, ...doing(member) })).join("\n");
}

function doing({ result }: Member): { readonly doing?: string } {
  return result === null ? {} : { doing: result.status };
}

function ended(all: readonly Result[], room: number, more: readonly string[] = []): ToolOutput {
  const each = Math.min(MOST_TOLD, Math.floor(room / Math.max(1, all.length)) - 300);
  const text = [...all.map((result) => resultText(result, Math.max(200, each))), ...more].join("\n\n");
  const isError = !all.some(({ status }) => status === "done");
  return { content: [{ type: "text", text }], details: endsOf(all), ...(isError && { isError }) };
}

async function waited(ids: readonly string[], call: ToolCall, { crew, known }: Calling): Promise<ToolOutput> {
  const open: Member[] = [];
  const notes: string[] = [];
  const strangers: string[] = [];
  for (const id of new Set(ids)) {
    const member = crew.member(id);
    const started = member ? [] : await known(id);
    if (!member && !started.some((each) => each.id === id)) strangers.push(stranger(id, started));
    else if (!member) notes.push(`${id} does not work now; {"read": "${id}"} shows what it did`);
    else if (member.result) notes.push(`${id} has ended, and its end was told before; {"read": "${id}"} shows it`);
    // Each end is told once, where somebody waits for it.
    else if (member.isAwaited) notes.push(`${id} is waited for by another call, which tells its end`);
    else {
      member.isAwaited = true;
      open.push(member);
    }
  }
  const told = [...notes, ...strangers];
  if (open.length === 0) {
    const isError = notes.length === 0;
    return { content: [{ type: "text", text: told.join("\n") }], ...(isError && { isError }) };
  }
  return ended(await endsOfAll(open, { call, crew }), call.maxOutputBytes, told);
}

interface Reading {
  readonly id: string;
  readonly page: number;
}

/** Of this session's own alone: others are nobody's business here. */
async function read({ id, page }: Reading, { maxOutputBytes }: ToolCall, { known }: Calling): Promise<ToolOutput> {
  const started = await known(id);
  const found = started.find((each) => each.id === id);
  if (!found) return failed(stranger(id, started));
  const shown = await transcriptPage({
    path: found.path,
    page,
    room: Math.max(1_000, Math.min(maxOutputBytes, PAGE) - 200),
  });
  if (shown.type === "failed") return failed(shown.why);
  const rest = page < shown.pages ? `; the next: {"read": "${id}", "page": ${page + 1}}` : "";
  return { content: [{ type: "text", text: `[${id}, page ${page} of ${shown.pages}${rest}]\n${shown.text}` }] };
}

function stranger(id: string, started: readonly Started[]): string {
  const all = started.map((each) => each.id).join(", ");
  return `there is no ${SUB_AGENT} ${id} of this session; ${all === "" ? "none was started" : `there are: ${all}`}`;
}

/** Bytes. */
const PAGE = 16 * 1024;

function failed(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
