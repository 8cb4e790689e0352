/** Runs a sub-agent as a separate process. The process ends with its task, with its caller, or when it is stopped. */

import type { ExtensionContext, RunEnd } from "@pith/agent";
import { RpcClient, type RpcEvent, type RpcUiRequest, type RpcUiResponse } from "@pith/client";
import type { ModelName } from "@pith/context";
import { canonicalProviderId } from "@pith/host/models/open-model";
import type { CostLimit } from "@pith/models";
import { TRUSTED_HASH_VARIABLE } from "../trust/trust.ts";
import type { AgentDefinition } from "./definitions.ts";
import { SUB_AGENT } from "./log.ts";
import { DEPTH_VARIABLE, type ParentLimits } from "./sub-agent-options.ts";

export interface RunChildOptions {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly task: string;
  /** Shown to the user. */
  readonly agentName: string;
  readonly parentLimits: Pick<ParentLimits, "trustedHash" | "costLimit">;
  readonly context: ExtensionContext;
  readonly signal: AbortSignal;
  /** Receives every event of the process. */
  readonly onEvent: (event: RpcEvent) => void;
}

/** How the process ended. The result of the task is in the session of the sub-agent. */
export type ChildEnd =
  | { readonly type: "settled" | "stopped" }
  /** `why` is the end of a sentence that begins with the name of the agent. */
  | { readonly type: "failed"; readonly why: string };

export async function runChild(options: RunChildOptions): Promise<ChildEnd> {
  const { args, cwd, parentLimits, signal } = options;
  const { trustedHash } = parentLimits;
  if (signal.aborted) return { type: "stopped" };
  let stderrText = "";
  const client = RpcClient.start({
    command: process.execPath,
    args,
    cwd,
    env: { ...process.env, [DEPTH_VARIABLE]: "1", [TRUSTED_HASH_VARIABLE]: trustedHash ?? undefined },
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
    return end.type === "exited"
      ? { type: "failed", why: describeExit({ code, signal: exitSignal, stderrText }) }
      : end;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** How long the process has to exit by itself. It then gets SIGTERM and, after the same time again, SIGKILL. */
const STOP_GRACE_MS = 1_500;
const MAX_STDERR_CHARS = 2_000;

async function runTask(client: RpcClient, options: RunChildOptions): Promise<ChildEnd | { readonly type: "exited" }> {
  const { context, agentName, parentLimits, signal, task, onEvent } = options;
  const settlement = Promise.withResolvers<ChildEnd>();
  let end: ChildEnd = { type: "settled" };
  const exitController = new AbortController();
  const forwardOptions = { context, agentName, signal: AbortSignal.any([signal, exitController.signal]) };
  client.listen((event) => {
    onEvent(event);
    if (event.type === "agent_end") end = toChildEnd(event.end);
    if (event.type === "agent_settled") settlement.resolve(end);
    if (event.type === "cost_update") parentLimits.costLimit?.addCost(event.cost);
    if (event.type === "cost_check") void answerCostCheck(event.id, client, parentLimits.costLimit);
    if (event.type !== "extension_ui_request") return;
    void forwardQuestion(event, forwardOptions).then((response) => response && client.respond(response));
  });
  const exit = client.exited.then(() => {
    // Closes the questions that are still open: they need no answer any more.
    exitController.abort();
    return { type: "exited" } as const;
  });
  // COM2: a task is never run as a slash command.
  const response = await client.send({ type: "prompt", message: task.startsWith("/") ? `/${task}` : task });
  if (!response.success) return await Promise.race([exit, delayRefusal(response.error)]);
  if (response.data?.disposition === "handled")
    return { type: "failed", why: "did not start: an extension handled its task" };
  return await Promise.race([settlement.promise, exit]);
}

async function answerCostCheck(id: string, client: RpcClient, costLimit: CostLimit | null): Promise<void> {
  client.respond({ type: "cost_check_response", id, refusal: (await costLimit?.check()) ?? null });
}

/** The failure of a run is not in the session, so it is taken from the event. */
function toChildEnd(end: RunEnd | undefined): ChildEnd {
  return end?.type === "failed" ? { type: "failed", why: end.why } : { type: "settled" };
}

/** Waits briefly: if the process exits meanwhile, its exit explains the failure better. */
async function delayRefusal(error: string): Promise<ChildEnd> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { type: "failed", why: `did not start: ${error}` };
}

export interface ForwardOptions {
  readonly context: ExtensionContext;
  /** Shown to the user in front of each question. */
  readonly agentName: string;
  readonly signal: AbortSignal;
}

/** Asks the user of the caller. Without a user the answer is never yes. Returns null if the request needs no answer. */
export async function forwardQuestion(request: RpcUiRequest, options: ForwardOptions): Promise<RpcUiResponse | null> {
  const { id } = request;
  const cancelled = { type: "extension_ui_response", id, cancelled: true } as const;
  if (!["select", "confirm", "input"].includes(request.method)) return null;
  if (!options.context.hasUI) return cancelled;
  // A failed question is cancelled; it must never become a yes.
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

interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderrText: string;
}

function describeExit({ code, signal, stderrText }: ProcessExit): string {
  const ending = signal === null ? `exited with code ${code ?? "unknown"}` : `was killed by ${signal}`;
  const lastLine = stderrText.trim().split("\n").at(-1) ?? "";
  return lastLine === "" ? ending : `${ending}: ${lastLine}`;
}

export interface ChildArgumentsOptions {
  readonly agent: AgentDefinition;
  readonly sessionPath: string;
  readonly parentLimits: ParentLimits;
  /** The model of the caller. */
  readonly parentModel: ModelName;
}

/** Passes on the current limits of the caller. The task is never on the command line. */
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

/** The tools of the agent, limited to those of the caller. Undefined if the tools of the caller are not limited. */
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
  // The key of another provider must not be sent to this base URL.
  const isSameProvider =
    canonicalProviderId(parentModel.provider) === canonicalProviderId(parentLimits.baseUrlOwner ?? "");
  const addressFlags = baseUrl === undefined || !isSameProvider ? [] : [`--base-url=${baseUrl}`];
  return [`--model=${parentModel.provider}/${parentModel.model}`, ...addressFlags];
}

function buildLimitFlags({ permissions, maxTurns, costLimit, overrides }: ParentLimits): readonly string[] {
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
    ...(maxTurns === undefined ? [] : [`--max-turns=${maxTurns}`]),
    // The sub-agent asks this process before each request; see ParentCostLimit.
    ...(costLimit === null ? [] : [`--max-cost=${costLimit.maxCost}`]),
  ];
}
