/** Runs one sub-agent as a process of its own: it gets its task over RPC, and ends with it, with its caller, or when stopped. */

import type { ExtensionContext, RunEnd } from "@pith/agent";
import { RpcClient, type RpcEvent, type RpcUiRequest, type RpcUiResponse } from "@pith/client";
import type { ModelName } from "@pith/context";
import { sellerOf } from "../models/open-model.ts";
import type { AgentPart } from "./definitions.ts";
import { SUB_AGENT } from "./log.ts";
import { DEPTH, type Held } from "./sub-agent-options.ts";

export interface Asking {
  readonly context: ExtensionContext;
  /** Who asks, for people. */
  readonly who: string;
  readonly signal: AbortSignal;
}

/** Asks the user of the caller; where there is none, the answer is never yes. Null for what needs no answer. */
export async function forwardQuestion(asked: RpcUiRequest, asking: Asking): Promise<RpcUiResponse | null> {
  const { id } = asked;
  const unanswered = { type: "extension_ui_response", id, cancelled: true } as const;
  if (!["select", "confirm", "input"].includes(asked.method)) return null;
  if (!asking.context.hasUI) return unanswered;
  // Whatever goes wrong with asking, nobody has said yes.
  const value = await answerTo(asked, asking).catch(() => undefined);
  if (value === undefined) return unanswered;
  return typeof value === "boolean"
    ? { type: "extension_ui_response", id, confirmed: value }
    : { type: "extension_ui_response", id, value };
}

async function answerTo(asked: RpcUiRequest, { context, who, signal }: Asking): Promise<string | boolean | undefined> {
  const { ui } = context;
  const within = { signal, ...("timeout" in asked && asked.timeout !== undefined && { timeout: asked.timeout }) };
  switch (asked.method) {
    case "select":
      return await ui.select(`${who}: ${asked.title}`, asked.options, within);
    case "confirm":
      return await ui.confirm(`${who}: ${asked.title}`, asked.message, within);
    case "input":
      return await ui.input(`${who}: ${asked.title}`, asked.placeholder, within);
    default:
      return undefined;
  }
}

export interface ChildParts {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly task: string;
  /** Who it is, for people. */
  readonly who: string;
  readonly context: ExtensionContext;
  readonly signal: AbortSignal;
  /** Told all that happens in it. */
  readonly listen: (event: RpcEvent) => void;
}

/** How the process ended; what came of the task stands in its session. */
export type ChildEnd =
  | { readonly type: "settled" | "stopped" }
  /** The end of a sentence that begins with who it is. */
  | { readonly type: "failed"; readonly why: string };

export async function runChild(parts: ChildParts): Promise<ChildEnd> {
  const { args, cwd, signal } = parts;
  if (signal.aborted) return { type: "stopped" };
  let said = "";
  const client = RpcClient.start({
    command: process.execPath,
    args,
    cwd,
    env: { ...process.env, [DEPTH]: "1" },
    onStderr: (text) => {
      said = `${said}${text}`.slice(-MOST_SAID);
    },
  });
  const stop = (): void => void client.close(GRACE_MS);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const end = await worked(client, parts);
    const { code, signal: by } = await client.close(end.type === "settled" ? undefined : GRACE_MS);
    if (signal.aborted) return { type: "stopped" };
    return end.type === "gone" ? { type: "failed", why: whyGone({ code, by, said }) } : end;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Then it is told by a signal, and after as long again by one that nobody refuses. */
const GRACE_MS = 1_500;
const MOST_SAID = 2_000;

async function worked(client: RpcClient, parts: ChildParts): Promise<ChildEnd | { readonly type: "gone" }> {
  const { context, who, signal, task, listen } = parts;
  const settled = Promise.withResolvers<ChildEnd>();
  let end: ChildEnd = { type: "settled" };
  const over = new AbortController();
  const asking = { context, who, signal: AbortSignal.any([signal, over.signal]) };
  client.listen((event) => {
    listen(event);
    if (event.type === "agent_end") end = endOf(event.end);
    if (event.type === "agent_settled") settled.resolve(end);
    if (event.type !== "extension_ui_request") return;
    void forwardQuestion(event, asking).then((answer) => answer && client.respond(answer));
  });
  const gone = client.exited.then(() => {
    // What it asked, nobody need answer any more.
    over.abort();
    return { type: "gone" } as const;
  });
  const answer = await client.send({ type: "prompt", message: escaped(task) });
  if (!answer.success) return await Promise.race([gone, refused(answer.error)]);
  if (answer.data?.disposition === "handled")
    return { type: "failed", why: "did not begin: an extension took its task" };
  return await Promise.race([settled.promise, gone]);
}

/** A model that could not go on leaves no word of it in the session. */
function endOf(end: RunEnd | undefined): ChildEnd {
  return end?.type === "failed" ? { type: "failed", why: end.why } : { type: "settled" };
}

/** Where the program ends, how it ended says more. */
async function refused(error: string): Promise<ChildEnd> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { type: "failed", why: `did not begin: ${error}` };
}

/** COM2: a task is never a command. */
function escaped(task: string): string {
  return task.startsWith("/") ? `/${task}` : task;
}

interface Gone {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
  readonly said: string;
}

function whyGone({ code, by, said }: Gone): string {
  const how = by === null ? `ended with ${code ?? "no code"}` : `was ended by ${by}`;
  const line = said.trim().split("\n").at(-1) ?? "";
  return line === "" ? how : `${how}: ${line}`;
}

export interface ChildPlace {
  readonly agent: AgentPart;
  readonly sessionPath: string;
  readonly held: Held;
  /** Who speaks for the caller. */
  readonly speaker: ModelName;
}

/** The sub-agent has the limits that its caller has now. The task is never on its command line. */
export function childArguments({ agent, sessionPath, held, speaker }: ChildPlace): readonly string[] {
  return [
    ...process.execArgv,
    process.argv[1] ?? "",
    ...["--mode", "rpc", "--agent", agent.name, "--session", sessionPath],
    ...modelFlags(agent, { held, speaker }),
    ...toolFlags(agent, held),
    ...heldFlags(held),
  ];
}

/** Those that it has where the tools of its caller were named: none but these. Undefined where nobody named any. */
export function toolsLeft({ tools }: AgentPart, { choices }: Held): readonly string[] | undefined {
  const named = choices.tools;
  if (!named || named.includes("all")) return undefined;
  const own = tools && !tools.includes("all") ? tools : named;
  return own.filter((name) => named.includes(name) && name !== SUB_AGENT);
}

function toolFlags(agent: AgentPart, held: Held): readonly string[] {
  const left = toolsLeft(agent, held);
  return left ? [`--tools=${left.join(",")}`] : [];
}

function modelFlags({ model }: AgentPart, { held, speaker }: Pick<ChildPlace, "held" | "speaker">): readonly string[] {
  if (model !== undefined) return [];
  const { baseUrl } = held.choices;
  // No key of another seller is sent there.
  const isIts = sellerOf(speaker.provider) === sellerOf(held.addressee ?? "");
  const address = baseUrl === undefined || !isIts ? [] : [`--base-url=${baseUrl}`];
  return [`--model=${speaker.provider}/${speaker.model}`, ...address];
}

function heldFlags({ permissions, trusts, choices }: Held): readonly string[] {
  const { sandbox, network } = choices;
  const rules = permissions?.rules ?? { allow: [], deny: [] };
  return [
    `--permission-mode=${permissions?.mode ?? "plan"}`,
    ...rules.allow.map(({ text }) => `--allow=${text}`),
    ...rules.deny.map(({ text }) => `--deny=${text}`),
    ...(sandbox === undefined ? [] : [`--sandbox=${sandbox}`]),
    ...(network === undefined ? [] : [`--network=${network}`]),
    ...(choices.contextFiles === false ? ["--no-context-files"] : []),
    ...(choices.skills === false ? ["--no-skills"] : []),
    ...(trusts ? ["--trust"] : []),
  ];
}
