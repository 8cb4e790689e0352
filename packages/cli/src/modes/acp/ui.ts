/** Asks the questions of permissions and extensions in the editor. No answer never means yes. */

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
import type { Redaction } from "@pith/context";
import type { Vault } from "@pith/context/secrets";
import { previewRequestedChange } from "@pith/host/permissions";
import type { AcpSession, ClientView, SendUpdate } from "./acp-context.ts";
import { createDiff, createNoticeUpdate, type OpenCalls, toToolCall } from "./tool-updates.ts";

export function createPermissionPrompt({ client, view, calls, session, sendUpdate }: UiContext): AskPermission {
  return async (question, { signal }) => {
    const current = session();
    if (!current) return { type: "no" };
    const runningCallId = calls.findCallId(question);
    const toolCallId = runningCallId ?? `asked-${randomUUID()}`;
    const baseCall = toToolCall({ toolCallId, toolName: question.tool, args: question.arguments }, view.cwd);
    const content = await createDiffPreview(question, {
      cwd: view.cwd,
      vault: current.app.vault,
      signal,
    }).catch(() => null);
    // A call that is already running keeps its status, and gets its title back after the answer.
    const isRunning = runningCallId !== null && question.intent?.type === "network";
    const status = isRunning ? ("in_progress" as const) : ("pending" as const);
    const toolCall = { ...baseCall, status, title: question.text, ...(content && { content: [content] }) };
    const request: RequestPermissionRequest = {
      sessionId: current.id,
      toolCall,
      options: createPermissionOptions(question),
    };
    return await client
      .request(methods.client.session.requestPermission, request, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      })
      .then((response) => parsePermissionAnswer(response, question))
      // An editor that cannot ask, or has disconnected, permits nothing.
      .catch((): PermissionAnswer => ({ type: "no" }))
      .finally(
        () => isRunning && void sendUpdate({ sessionUpdate: "tool_call_update", toolCallId, title: baseCall.title }),
      );
  };
}

/** Offers to remember only the narrowest rule, for this project. */
export function createPermissionOptions({
  rules: [rule],
  yesLasts,
}: Pick<PermissionQuestion, "rules" | "yesLasts">): PermissionOption[] {
  return [
    { optionId: "yes", name: yesLasts ? "Allow for this session" : "Allow", kind: "allow_once" },
    ...(rule
      ? [{ optionId: "always", name: `Always allow ${rule.text} in this project`, kind: "allow_always" } as const]
      : []),
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
}

function parsePermissionAnswer(
  { outcome }: RequestPermissionResponse,
  { rules: [rule] }: Pick<PermissionQuestion, "rules">,
): PermissionAnswer {
  if (outcome.outcome !== "selected") return { type: "no" };
  if (outcome.optionId === "always" && rule) return { type: "yes", remember: { rule, for: "project" } };
  return outcome.optionId === "yes" ? { type: "yes" } : { type: "no" };
}

interface DiffContext {
  readonly cwd: string;
  /** Redacts the diff that is shown. The comparison uses the real values. */
  readonly vault: Vault | null | undefined;
  readonly signal: AbortSignal;
}

/** Null if the change cannot be previewed. */
async function createDiffPreview(question: PermissionQuestion, context: DiffContext): Promise<ToolCallContent | null> {
  const change = await previewRequestedChange(question, { ...context, maxFileBytes: MAX_DIFF_BYTES });
  if (!change) return null;
  const { path, before, after } = context.vault ? context.vault.redact(change) : change;
  return createDiff(resolve(context.cwd, path), { oldText: before, newText: after });
}

const MAX_DIFF_BYTES = 1024 * 1024;

/** Uses forms if the editor supports them, otherwise the buttons of a permission request. */
export function createEditorUi(context: UiContext): ExtensionUi {
  const { view, sendUpdate, redact } = context;
  const { supportsForms } = view.features;
  return {
    select: async (title, options, promptOptions) => {
      if (supportsForms) {
        // The user chooses a redacted option; the original one is returned.
        const shown = redact(options);
        const field = { type: "string", enum: [...shown] } as const;
        const answer = asText(await askWithForm(title, field, { context, promptOptions }), shown);
        return answer === undefined ? undefined : options[shown.indexOf(answer)];
      }
      const buttons = options.map(
        (name, index): PermissionOption => ({ optionId: `${index}`, name, kind: toOptionKind(name) }),
      );
      const optionId = await askWithButtons(title, buttons, { context, promptOptions });
      return optionId === null ? undefined : options[Number(optionId)];
    },
    confirm: async (title, message, promptOptions) => {
      const body = [title, message].filter((text) => text !== "").join("\n\n");
      if (supportsForms)
        return (await askWithForm(body, { type: "boolean", title }, { context, promptOptions })) === true;
      return (await askWithButtons(body, YES_NO_OPTIONS, { context, promptOptions })) === "yes";
    },
    input: async (title, placeholder, promptOptions) => {
      if (!supportsForms) return undefined;
      const field = { type: "string", ...(placeholder !== undefined && { description: placeholder }) } as const;
      return asText(await askWithForm(title, field, { context, promptOptions }));
    },
    notify: (text, severity = "info") =>
      void sendUpdate(createNoticeUpdate({ text: redact(text), severity }, view.features)),
    setStatus: () => {},
    setWidget: () => {},
  };
}

/** Editors may style or choose options by their kind, so a "No" must not have the kind of a yes. */
function toOptionKind(option: string): PermissionOption["kind"] {
  return /^no(?:,|$)/i.test(option) ? "reject_once" : "allow_once";
}

const YES_NO_OPTIONS: readonly PermissionOption[] = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

interface PromptContext {
  readonly context: UiContext;
  readonly promptOptions: UiPromptOptions | undefined;
}

/** Undefined if there is no answer. */
async function askWithForm(
  message: string,
  field: ElicitationPropertySchema,
  { context, promptOptions }: PromptContext,
): Promise<unknown> {
  const session = context.session();
  if (!session) return undefined;
  const form: CreateElicitationRequest = {
    mode: "form",
    sessionId: session.id,
    message: context.redact(message),
    requestedSchema: { type: "object", properties: { answer: context.redact(field) }, required: ["answer"] },
  };
  const response = await context.client
    .request("elicitation/create", form, toRequestOptions(promptOptions))
    // A disconnected editor or a timeout means no answer.
    .catch(() => null);
  if (response?.action !== "accept" || !("content" in response)) return undefined;
  const { content } = response;
  return typeof content === "object" && content !== null && "answer" in content ? content.answer : undefined;
}

/** Returns the id of the button. Null if there is no answer. */
async function askWithButtons(
  title: string,
  options: readonly PermissionOption[],
  { context, promptOptions }: PromptContext,
): Promise<string | null> {
  const session = context.session();
  if (!session) return null;
  const base = { toolCallId: `asked-${randomUUID()}`, kind: "other", status: "pending" } as const;
  const toolCall = { ...base, title: context.redact(title) };
  const request: RequestPermissionRequest = { sessionId: session.id, toolCall, options: [...context.redact(options)] };
  const response = await context.client
    .request("session/request_permission", request, toRequestOptions(promptOptions))
    .catch(() => null);
  return response?.outcome.outcome === "selected" ? response.outcome.optionId : null;
}

function toRequestOptions({ signal, timeout }: UiPromptOptions = {}): SendRequestOptions {
  const signals = [...(signal ? [signal] : []), ...(timeout === undefined ? [] : [AbortSignal.timeout(timeout)])];
  return signals.length === 0 ? {} : { cancellationSignal: AbortSignal.any(signals), stopWaitingOnCancel: true };
}

function asText(value: unknown, options?: readonly string[]): string | undefined {
  return typeof value === "string" && (options?.includes(value) ?? true) ? value : undefined;
}

export interface UiContext {
  readonly client: AgentContext;
  readonly view: ClientView;
  readonly calls: OpenCalls;
  readonly sendUpdate: SendUpdate;
  /** Null until the session is open. Questions get no answer before that. */
  readonly session: () => AcpSession | null;
  /** Applied to what extensions show. */
  readonly redact: Redaction["redact"];
}
