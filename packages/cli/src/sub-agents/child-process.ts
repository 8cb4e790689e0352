/** Runs one sub-agent as a process of its own: it gets its task over RPC, and ends with it, with its caller, or when stopped. */

import type { ExtensionContext, RunEnd } from "@pith/agent";
import { RpcClient, type RpcEvent, type RpcUiRequest, type RpcUiResponse } from "@pith/client";
import type { ModelName } from "@pith/context";
import { canonicalProviderId } from "../models/open-model.ts";
import type { AgentDefinition } from "./definitions.ts";
import { SUB_AGENT } from "./log.ts";
import { DEPTH_VARIABLE, type ParentLimits } from "./sub-agent-options.ts";

export interface ForwardOptions {
  readonly context: ExtensionContext;
  /** Who asks, for people. */
  readonly agentName: string;
  readonly signal: AbortSignal;
}

/** Asks the user of the caller; where there is none, the answer is never yes. Null for what needs no answer. */
export async function forwardQuestion(request: RpcUiRequest, options: ForwardOptions): Promise<RpcUiResponse | null> {
  const { id } = request;
  const cancelled = { type: "extension_ui_response", id, cancelled: true } as const;
  if (!["select", "confirm", "input"].includes(request.method)) return null;
  if (!options.context.hasUI) return cancelled;
  // Whatever goes wrong with asking, nobody has said yes.
  const value = await askUser(request, options).catch(() => undefined);
  if (value === undefined) return cancelled;
  return typeof value === "boolean"
    ? { type: "extension_ui_response", id, confirmed: value }
    : { type: "extension_ui_response", id, value };
}

async function askUser(
  request: RpcUiRequest,
  { context, agentName, signal }: ForwardOptions,
): Promise<string | boolean | undefined> {
  const { ui } = context;
  const promptOptions = {
    signal,
    ...("timeout" in request && request.timeout !== undefined && { timeout: request.timeout }),
  };
  switch (request.method) {
    case "select":
      return await ui.select(`${agentName}: ${request.title}`, request.options, promptOptions);
    case "confirm":
      return await ui.confirm(`${agentName}: ${request.title}`, request.message, promptOptions);
    case "input":
      return await ui.input(`${agentName}: ${request.title}`, request.placeholder, promptOptions);
    default:
      return undefined;
  }
}

export interface RunChildOptions {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly task: string;
  /** Who it is, for people. */
  readonly agentName: string;
  readonly context: ExtensionContext;
  readonly signal: AbortSignal;
  /** Told all that happens in it. */
  readonly onEvent: (event: RpcEvent) => void;
}

/** How the process ended; what came of the task stands in its session. */
export type ChildEnd =
  | { readonly type: "settled" | "stopped" }
  /** The end of a sentence that begins with who it is. */
  | { readonly type: "failed"; readonly why: string };

export async function runChild(options: RunChildOptions): Promise<ChildEnd> {
  const { args, cwd, signal } = options;
  if (signal.aborted) return { type: "stopped" };
  let stderrText = "";
  const client = RpcClient.start({
    command: process.execPath,
    args,
    cwd,
    env: { ...process.env, [DEPTH_VARIABLE]: "1" },
    onStderr: (text) => {
      stderrText = `${stderrText}${text}`.slice(-MAX_STDERR_CHARS);
    },
  });
  const stop = (): void => void client.close(STOP_GRACE_MS);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const end = await runTask(client, options);
    const { code, signal: exitSignal } = await client.close(end.type === "settled" ? undefined : STOP_GRACE_MS);
    if (signal.aborted) return { type: "stopped" };
    return end.type === "gone" ? { type: "failed", why: describeExit({ code, signal: exitSignal, stderrText }) } : end;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Then it is told by a signal, and after as long again by one that nobody refuses. */
const STOP_GRACE_MS = 1_500;
const MAX_STDERR_CHARS = 2_000;

async function runTask(client: RpcClient, options: RunChildOptions): Promise<ChildEnd | { readonly type: "gone" }> {
  const { context, agentName, signal, task, onEvent } = options;
  const settled = Promise.withResolvers<ChildEnd>();
  let end: ChildEnd = { type: "settled" };
  const exitController = new AbortController();
  const forwardOptions = { context, agentName, signal: AbortSignal.any([signal, exitController.signal]) };
  client.listen((event) => {
    onEvent(event);
    if (event.type === "agent_end") end = toChildEnd(event.end);
    if (event.type === "agent_settled") settled.resolve(end);
    if (event.type !== "extension_ui_request") return;
    void forwardQuestion(event, forwardOptions).then((response) => response && client.respond(response));
  });
  const exited = client.exited.then(() => {
    // What it asked, nobody need answer any more.
    exitController.abort();
    return { type: "gone" } as const;
  });
  const response = await client.send({ type: "prompt", message: escapeSlash(task) });
  if (!response.success) return await Promise.race([exited, waitForRefusal(response.error)]);
  if (response.data?.disposition === "handled")
    return { type: "failed", why: "did not begin: an extension took its task" };
  return await Promise.race([settled.promise, exited]);
}

/** A model that could not go on leaves no word of it in the session. */
function toChildEnd(end: RunEnd | undefined): ChildEnd {
  return end?.type === "failed" ? { type: "failed", why: end.why } : { type: "settled" };
}

/** Where the program ends, how it ended says more. */
async function waitForRefusal(error: string): Promise<ChildEnd> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { type: "failed", why: `did not begin: ${error}` };
}

/** COM2: a task is never a command. */
function escapeSlash(task: string): string {
  return task.startsWith("/") ? `/${task}` : task;
}

interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderrText: string;
}

function describeExit({ code, signal, stderrText }: ProcessExit): string {
  const ending = signal === null ? `ended with ${code ?? "no code"}` : `was ended by ${signal}`;
  const lastLine = stderrText.trim().split("\n").at(-1) ?? "";
  return lastLine === "" ? ending : `${ending}: ${lastLine}`;
}

export interface ChildArgumentsOptions {
  readonly agent: AgentDefinition;
  readonly sessionPath: string;
  readonly parentLimits: ParentLimits;
  /** Who speaks for the caller. */
  readonly parentModel: ModelName;
}

/** The sub-agent has the limits that its caller has now. The task is never on its command line. */
export function buildChildArguments({
  agent,
  sessionPath,
  parentLimits,
  parentModel,
}: ChildArgumentsOptions): readonly string[] {
  return [
    ...process.execArgv,
    process.argv[1] ?? "",
    ...["--mode", "rpc", "--agent", agent.name, "--session", sessionPath],
    ...buildModelFlags(agent, { parentLimits, parentModel }),
    ...buildToolFlags(agent, parentLimits),
    ...buildLimitFlags(parentLimits),
  ];
}

/** Those that it has where the tools of its caller were named: none but these. Undefined where nobody named any. */
export function restrictTools({ tools }: AgentDefinition, { overrides }: ParentLimits): readonly string[] | undefined {
  const allowedTools = overrides.tools;
  if (!allowedTools || allowedTools.includes("all")) return undefined;
  const requestedTools = tools && !tools.includes("all") ? tools : allowedTools;
  return requestedTools.filter((name) => allowedTools.includes(name) && name !== SUB_AGENT);
}

function buildToolFlags(agent: AgentDefinition, parentLimits: ParentLimits): readonly string[] {
  const tools = restrictTools(agent, parentLimits);
  return tools ? [`--tools=${tools.join(",")}`] : [];
}

function buildModelFlags(
  { model }: AgentDefinition,
  { parentLimits, parentModel }: Pick<ChildArgumentsOptions, "parentLimits" | "parentModel">,
): readonly string[] {
  if (model !== undefined) return [];
  const { baseUrl } = parentLimits.overrides;
  // No key of another seller is sent there.
  const isSameProvider =
    canonicalProviderId(parentModel.provider) === canonicalProviderId(parentLimits.baseUrlOwner ?? "");
  const addressFlags = baseUrl === undefined || !isSameProvider ? [] : [`--base-url=${baseUrl}`];
  return [`--model=${parentModel.provider}/${parentModel.model}`, ...addressFlags];
}

function buildLimitFlags({ permissions, trustsProject, overrides }: ParentLimits): readonly string[] {
  const { sandbox, network } = overrides;
  const rules = permissions?.rules ?? { allow: [], deny: [] };
  return [
    `--permission-mode=${permissions?.mode ?? "plan"}`,
    ...rules.allow.map(({ text }) => `--allow=${text}`),
    ...rules.deny.map(({ text }) => `--deny=${text}`),
    ...(sandbox === undefined ? [] : [`--sandbox=${sandbox}`]),
    ...(network === undefined ? [] : [`--network=${network}`]),
    ...(overrides.contextFiles === false ? ["--no-context-files"] : []),
    ...(overrides.skills === false ? ["--no-skills"] : []),
    ...(trustsProject ? ["--trust"] : []),
  ];
}
