/** Asks the permission and extension questions in the editor. No answer means no. */

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import {
  type AgentContext,
  type CreateElicitationRequest,
  type ElicitationPropertySchema,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SendRequestOptions,
  type ToolCallContent,
} from "@agentclientprotocol/sdk/unstable";
import type { AskPermission, ExtensionUi, PermissionAnswer, PermissionQuestion, UiPromptOptions } from "@pith/agent";
import type { Vault } from "@pith/context/secrets";
import { askedChange } from "../../app/permissions.ts";
import type { EditorSession, Sight, TellEditor } from "./acp-context.ts";
import { callShown, diffOf, noteUpdate, type OpenCalls } from "./tool-updates.ts";

export function askEditor({ client, sight, calls, session, tell }: Asking): AskPermission {
  return async (question, { signal }) => {
    const open = session();
    if (!open) return { type: "no" };
    const running = calls.of(question);
    const toolCallId = running ?? `asked-${randomUUID()}`;
    const shown = callShown({ toolCallId, toolName: question.tool, args: question.arguments }, sight.cwd);
    const content = await changeIn(question, { cwd: sight.cwd, vault: open.ready.place.vault, signal }).catch(
      () => null,
    );
    // A call that runs already goes on running, with the title that it had.
    const isRunning = running !== null && question.intent?.type === "network";
    const status = isRunning ? ("in_progress" as const) : ("pending" as const);
    const toolCall = { ...shown, status, title: question.text, ...(content && { content: [content] }) };
    const asked: RequestPermissionRequest = { sessionId: open.id, toolCall, options: optionsFor(question) };
    return await client
      .request(methods.client.session.requestPermission, asked, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      })
      .then((response) => answerIn(response, question))
      // An editor that cannot ask, or has left, has permitted nothing.
      .catch((): PermissionAnswer => ({ type: "no" }))
      .finally(() => isRunning && void tell({ sessionUpdate: "tool_call_update", toolCallId, title: shown.title }));
  };
}

/** What can be remembered is the narrowest rule, for this project. */
export function optionsFor({
  rules: [rule],
  yesLasts,
}: Pick<PermissionQuestion, "rules" | "yesLasts">): PermissionOption[] {
  return [
    { optionId: "yes", name: yesLasts ? "Allow for this session" : "Allow", kind: "allow_once" },
    ...(rule ? [{ optionId: "always", name: `Always allow ${rule.text} here`, kind: "allow_always" } as const] : []),
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
}

export function answerIn(
  { outcome }: RequestPermissionResponse,
  { rules: [rule] }: Pick<PermissionQuestion, "rules">,
): PermissionAnswer {
  if (outcome.outcome !== "selected") return { type: "no" };
  if (outcome.optionId === "always" && rule) return { type: "yes", remember: { rule, for: "project" } };
  return outcome.optionId === "yes" ? { type: "yes" } : { type: "no" };
}

interface ShownPlace {
  readonly cwd: string;
  /** What is shown has no secret in it; what is compared has. */
  readonly vault: Vault | null | undefined;
  readonly signal: AbortSignal;
}

/** How the file would differ; null where that cannot be told. */
async function changeIn(question: PermissionQuestion, place: ShownPlace): Promise<ToolCallContent | null> {
  const changed = await askedChange(question, { ...place, mostBytes: MOST_BYTES });
  if (!changed) return null;
  const { path, before, after } = place.vault ? place.vault.redact(changed) : changed;
  return diffOf(resolve(place.cwd, path), { oldText: before, newText: after });
}

const MOST_BYTES = 1024 * 1024;

/** Uses forms where the editor has them, else the buttons of a permission request. */
export function editorUi(asking: Asking): ExtensionUi {
  const { sight, tell } = asking;
  const { forms } = sight.can;
  return {
    select: async (title, options, wish) => {
      if (forms) return asText(await formed(title, { type: "string", enum: [...options] }, { asking, wish }), options);
      const buttons = options.map((name, at): PermissionOption => ({ optionId: `${at}`, name, kind: kindOf(name) }));
      const chosen = await pressed(title, buttons, { asking, wish });
      return chosen === null ? undefined : options[Number(chosen)];
    },
    confirm: async (title, message, wish) => {
      const words = [title, message].filter((text) => text !== "").join("\n\n");
      if (forms) return (await formed(words, { type: "boolean", title }, { asking, wish })) === true;
      return (await pressed(words, YES_NO, { asking, wish })) === "yes";
    },
    input: async (title, placeholder, wish) => {
      if (!forms) return undefined;
      const field = { type: "string", ...(placeholder !== undefined && { description: placeholder }) } as const;
      return asText(await formed(title, field, { asking, wish }));
    },
    notify: (text, severity = "info") => void tell(noteUpdate({ text, severity }, sight.can)),
    setStatus: () => {},
    setWidget: () => {},
  };
}

/** An editor that marks or chooses by the kind takes no "No" for a yes. */
function kindOf(option: string): PermissionOption["kind"] {
  return /^no(?:,|$)/i.test(option) ? "reject_once" : "allow_once";
}

const YES_NO: readonly PermissionOption[] = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

interface Way {
  readonly asking: Asking;
  readonly wish: UiPromptOptions | undefined;
}

/** Undefined where it was left without an answer. */
async function formed(message: string, field: ElicitationPropertySchema, { asking, wish }: Way): Promise<unknown> {
  const open = asking.session();
  if (!open) return undefined;
  const form: CreateElicitationRequest = {
    ...{ mode: "form", sessionId: open.id, message },
    requestedSchema: { type: "object", properties: { answer: field }, required: ["answer"] },
  };
  const response = await asking.client
    .request("elicitation/create", form, waiting(wish))
    // Whoever has left, or was not asked in time, has not answered.
    .catch(() => null);
  if (response?.action !== "accept" || !("content" in response)) return undefined;
  const { content } = response;
  return typeof content === "object" && content !== null && "answer" in content ? content.answer : undefined;
}

/** The id of the button; null where it was left without an answer. */
async function pressed(
  title: string,
  options: readonly PermissionOption[],
  { asking, wish }: Way,
): Promise<string | null> {
  const open = asking.session();
  if (!open) return null;
  const toolCall = { toolCallId: `asked-${randomUUID()}`, title, kind: "other", status: "pending" } as const;
  const question: RequestPermissionRequest = { sessionId: open.id, toolCall, options: [...options] };
  const response = await asking.client.request("session/request_permission", question, waiting(wish)).catch(() => null);
  return response?.outcome.outcome === "selected" ? response.outcome.optionId : null;
}

function waiting({ signal, timeout }: UiPromptOptions = {}): SendRequestOptions {
  const signals = [...(signal ? [signal] : []), ...(timeout === undefined ? [] : [AbortSignal.timeout(timeout)])];
  return signals.length === 0 ? {} : { cancellationSignal: AbortSignal.any(signals), stopWaitingOnCancel: true };
}

function asText(value: unknown, options?: readonly string[]): string | undefined {
  return typeof value === "string" && (options?.includes(value) ?? true) ? value : undefined;
}

export interface Asking {
  readonly client: AgentContext;
  readonly sight: Sight;
  readonly calls: OpenCalls;
  readonly tell: TellEditor;
  /** Null until it is open; then nobody is asked either. */
  readonly session: () => EditorSession | null;
}
