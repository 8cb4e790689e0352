/** Sends the questions of extensions and permissions to the RPC client, and waits for the replies. No reply never means yes. */

import type {
  AskPermission,
  ExtensionUi,
  PermissionAnswer,
  PermissionQuestion,
  Rule,
  UiPromptOptions,
} from "@pith/agent";
import type { RpcUiRequest } from "@pith/client";

/** The reply of the client. Null if there is none, or none in time. */
export type UiReply = { readonly value: string } | { readonly confirmed: boolean } | null;

export type UiRequest = RpcUiRequest extends infer Each
  ? Each extends RpcUiRequest
    ? Omit<Each, "type" | "id">
    : never
  : never;

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. */
  readonly timeout?: number | undefined;
}

export class Questions {
  readonly #send: (request: RpcUiRequest) => void;
  readonly #redact: RedactRequest;
  readonly #pending = new Map<string, PendingQuestion>();
  #lastNumber = 0;
  #isClosed = false;

  constructor(send: (request: RpcUiRequest) => void, redact: RedactRequest = (request) => request) {
    this.#send = send;
    this.#redact = redact;
  }

  /** Sends a request that needs no reply. */
  show(request: UiRequest): void {
    this.#send(this.#createRequest(request));
  }

  async ask(request: UiRequest, { signal, timeout }: WaitOptions = {}): Promise<UiReply> {
    if (this.#isClosed || signal?.aborted) return null;
    const sent = this.#createRequest(request);
    const deferred = Promise.withResolvers<UiReply>();
    const cancel = (): void => deferred.resolve(null);
    const timer =
      timeout === undefined ? undefined : setTimeout(cancel, Math.max(0, Math.min(timeout, MAX_TIMEOUT_MS)));
    signal?.addEventListener("abort", cancel, { once: true });
    this.#pending.set(sent.id, { request, sent, reply: deferred.resolve });
    this.#send(sent);
    return await deferred.promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      this.#pending.delete(sent.id);
    });
  }

  /** Returns null if the reply is accepted, otherwise an error message for the client. */
  handleResponse(line: Readonly<Record<string, unknown>>): string | null {
    const { id, value, confirmed, cancelled } = line;
    const pending = typeof id === "string" ? this.#pending.get(id) : undefined;
    if (!pending) return 'no open question has this "id"; it may have been answered already, or have timed out';
    const reply = cancelled === true ? null : parseReply(pending, { value, confirmed });
    if (reply === undefined) return replyHints[pending.request.method] ?? "this request takes no response";
    pending.reply(reply);
    return null;
  }

  /** Closes all open questions without an answer. */
  dismissAll(): void {
    for (const { reply } of this.#pending.values()) reply(null);
  }

  /** Called when the client has left. Later questions get no answer. */
  close(): void {
    this.#isClosed = true;
    this.dismissAll();
  }

  #createRequest(request: UiRequest): RpcUiRequest {
    this.#lastNumber += 1;
    return this.#redact({ type: "extension_ui_request", id: `q${this.#lastNumber}`, ...request } as RpcUiRequest);
  }
}

type RedactRequest = (request: RpcUiRequest) => RpcUiRequest;

interface PendingQuestion {
  readonly request: UiRequest;
  /** The request after redaction. */
  readonly sent: RpcUiRequest;
  readonly reply: (reply: UiReply) => void;
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const replyHints: Readonly<Record<string, string>> = {
  select: '"value" must be one of the options; to cancel, send "cancelled": true',
  confirm: '"confirmed" must be true or false; to cancel, send "cancelled": true',
  input: '"value" must be a string; to cancel, send "cancelled": true',
};

/** Undefined if the reply does not fit the question. */
function parseReply(
  { request, sent }: PendingQuestion,
  { value, confirmed }: { readonly value: unknown; readonly confirmed: unknown },
): UiReply | undefined {
  if (request.method === "confirm") return typeof confirmed === "boolean" ? { confirmed } : undefined;
  if (typeof value !== "string") return undefined;
  if (request.method !== "select" || sent.method !== "select") return { value };
  // The client chose a redacted option; the original one is returned.
  const original = request.options[sent.options.indexOf(value)];
  return original === undefined ? undefined : { value: original };
}

export function createRpcUi(questions: Questions): ExtensionUi {
  return {
    select: async (title, options, promptOptions = {}) => {
      const reply = await questions.ask(
        { method: "select", title, options, ...pickTimeout(promptOptions) },
        toWaitOptions(promptOptions),
      );
      return reply && "value" in reply ? reply.value : undefined;
    },
    confirm: async (title, message, promptOptions = {}) => {
      const reply = await questions.ask(
        { method: "confirm", title, message, ...pickTimeout(promptOptions) },
        toWaitOptions(promptOptions),
      );
      return reply !== null && "confirmed" in reply && reply.confirmed;
    },
    input: async (title, placeholder, promptOptions = {}) => {
      const hint = placeholder === undefined ? {} : { placeholder };
      const reply = await questions.ask(
        { method: "input", title, ...hint, ...pickTimeout(promptOptions) },
        toWaitOptions(promptOptions),
      );
      return reply && "value" in reply ? reply.value : undefined;
    },
    notify: (message, type = "info") => questions.show({ method: "notify", message, notifyType: type }),
    setStatus: (statusKey, text) =>
      questions.show({ method: "setStatus", statusKey, ...(text !== undefined && { statusText: text }) }),
    setWidget: (widgetKey, lines) =>
      questions.show({ method: "setWidget", widgetKey, ...(lines && { widgetLines: lines }) }),
  };
}

function pickTimeout({ timeout }: UiPromptOptions): { readonly timeout?: number } {
  return timeout === undefined ? {} : { timeout };
}

function toWaitOptions({ signal, timeout }: UiPromptOptions): WaitOptions {
  return { signal, timeout };
}

/** `Permissions` asks one question at a time. */
export function createPermissionPrompt(questions: Questions): AskPermission {
  return async (question, { signal }) => {
    const answersByLabel = buildAnswers(question);
    const { tool, arguments: toolArguments, intent, text, rules, yesLasts } = question;
    const yesLastsPart = yesLasts ? { yesLasts } : {};
    const permission = {
      tool,
      arguments: toolArguments,
      intent,
      text,
      ...yesLastsPart,
      rules: rules.map((rule) => rule.text),
    };
    const request = {
      method: "select",
      title: text,
      options: [...answersByLabel.keys()],
      timeout: ANSWER_TIMEOUT_MS,
    } as const;
    const reply = await questions.ask({ ...request, permission }, { signal, timeout: ANSWER_TIMEOUT_MS });
    return (reply && "value" in reply ? answersByLabel.get(reply.value) : undefined) ?? { type: "no" };
  };
}

/** RPC9: a question without an answer is refused after this time. */
const ANSWER_TIMEOUT_MS = 5 * 60 * 1000;

function buildAnswers({ rules, yesLasts }: PermissionQuestion): ReadonlyMap<string, PermissionAnswer> {
  const rememberAnswers = rules.flatMap((rule): readonly (readonly [string, PermissionAnswer])[] => [
    // If a plain yes already applies to the whole session, this option would be the same.
    ...(yesLasts ? [] : [[formatRememberLabel(rule, "session"), rememberRule(rule, "session")] as const]),
    [formatRememberLabel(rule, "project"), rememberRule(rule, "project")],
  ]);
  return new Map<string, PermissionAnswer>([["Yes", { type: "yes" }], ...rememberAnswers, ["No", { type: "no" }]]);
}

function formatRememberLabel(rule: Rule, scope: "session" | "project"): string {
  return `Yes, and don't ask again in this ${scope}: ${rule.text}`;
}

function rememberRule(rule: Rule, scope: "session" | "project"): PermissionAnswer {
  return { type: "yes", remember: { rule, for: scope } };
}
