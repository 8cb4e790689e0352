/** Sends the questions of extensions and permissions to the RPC client, and waits for each reply until a timeout. */

import type {
  AskPermission,
  ExtensionUi,
  PermissionAnswer,
  PermissionQuestion,
  Rule,
  UiPromptOptions,
} from "@pith/agent";
import type { RpcUiRequest } from "@pith/client";

/** What the other program answered; null where it did not, or not in time. */
export type UiReply = { readonly value: string } | { readonly confirmed: boolean } | null;

export type UiRequest = RpcUiRequest extends infer Each
  ? Each extends RpcUiRequest
    ? Omit<Each, "type" | "id">
    : never
  : never;

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
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

  /** Shown, and nobody answers. */
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

  /** Null where it was taken; else what is wrong with it, for whoever sent it. */
  handleResponse(line: Readonly<Record<string, unknown>>): string | null {
    const { id, value, confirmed, cancelled } = line;
    const pending = typeof id === "string" ? this.#pending.get(id) : undefined;
    if (!pending)
      return '"id" is of no question that waits for an answer; it may have been answered, or waited too long';
    const reply = cancelled === true ? null : parseReply(pending, { value, confirmed });
    if (reply === undefined) return replyHints[pending.request.method] ?? "nothing is asked there";
    pending.reply(reply);
    return null;
  }

  /** All that was asked by now stays without an answer. */
  dismissAll(): void {
    for (const { reply } of this.#pending.values()) reply(null);
  }

  /** Nobody is there any more. */
  close(): void {
    this.#isClosed = true;
    this.dismissAll();
  }

  #createRequest(request: UiRequest): RpcUiRequest {
    this.#lastNumber += 1;
    return this.#redact({ type: "extension_ui_request", id: `q${this.#lastNumber}`, ...request } as RpcUiRequest);
  }
}

/** Without secrets. */
type RedactRequest = (told: RpcUiRequest) => RpcUiRequest;

interface PendingQuestion {
  readonly request: UiRequest;
  /** The same, as it was told. */
  readonly sent: RpcUiRequest;
  readonly reply: (replied: UiReply) => void;
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const replyHints: Readonly<Record<string, string>> = {
  select: '"value" must be one of the options; or say "cancelled": true',
  confirm: '"confirmed" must be true or false; or say "cancelled": true',
  input: '"value" must be a text; or say "cancelled": true',
};

interface RawReply {
  readonly value: unknown;
  readonly confirmed: unknown;
}

/** Undefined for what is no answer to it. */
function parseReply({ request, sent }: PendingQuestion, { value, confirmed }: RawReply): UiReply | undefined {
  if (request.method === "confirm") return typeof confirmed === "boolean" ? { confirmed } : undefined;
  if (typeof value !== "string") return undefined;
  if (request.method !== "select" || sent.method !== "select") return { value };
  // What was shown without a secret stands for what was meant.
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

/** One question at a time comes here: the permissions see to that. */
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

/** RPC9: whoever does not answer has not said yes. */
const ANSWER_TIMEOUT_MS = 5 * 60 * 1000;

function buildAnswers({ rules, yesLasts }: PermissionQuestion): ReadonlyMap<string, PermissionAnswer> {
  const rememberAnswers = rules.flatMap((rule): readonly (readonly [string, PermissionAnswer])[] => [
    // Where a yes lasts that long already, the same need not be offered twice.
    ...(yesLasts ? [] : [[`Yes, and ${rule.text} in this session`, rememberRule(rule, "session")] as const]),
    [`Yes, and ${rule.text} in this project`, rememberRule(rule, "project")],
  ]);
  return new Map<string, PermissionAnswer>([["Yes", { type: "yes" }], ...rememberAnswers, ["No", { type: "no" }]]);
}

function rememberRule(rule: Rule, scope: "session" | "project"): PermissionAnswer {
  return { type: "yes", remember: { rule, for: scope } };
}
