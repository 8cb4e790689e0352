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
export type Replied = { readonly value: string } | { readonly confirmed: boolean } | null;

export type Request = RpcUiRequest extends infer Each
  ? Each extends RpcUiRequest
    ? Omit<Each, "type" | "id">
    : never
  : never;

export interface Waiting {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
}

export class Questions {
  readonly #tell: (request: RpcUiRequest) => void;
  readonly #conceal: Conceal;
  readonly #open = new Map<string, Open>();
  #asked = 0;
  #isOver = false;

  constructor(tell: (request: RpcUiRequest) => void, conceal: Conceal = (told) => told) {
    this.#tell = tell;
    this.#conceal = conceal;
  }

  /** Shown, and nobody answers. */
  show(request: Request): void {
    this.#tell(this.#numbered(request));
  }

  async ask(request: Request, { signal, timeout }: Waiting = {}): Promise<Replied> {
    if (this.#isOver || signal?.aborted) return null;
    const told = this.#numbered(request);
    const replied = Promise.withResolvers<Replied>();
    const leave = (): void => replied.resolve(null);
    const timer = timeout === undefined ? undefined : setTimeout(leave, Math.max(0, Math.min(timeout, LONGEST_MS)));
    signal?.addEventListener("abort", leave, { once: true });
    this.#open.set(told.id, { request, told, reply: replied.resolve });
    this.#tell(told);
    return await replied.promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      this.#open.delete(told.id);
    });
  }

  /** Null where it was taken; else what is wrong with it, for whoever sent it. */
  answered(line: Readonly<Record<string, unknown>>): string | null {
    const { id, value, confirmed, cancelled } = line;
    const open = typeof id === "string" ? this.#open.get(id) : undefined;
    if (!open) return '"id" is of no question that waits for an answer; it may have been answered, or waited too long';
    const reply = cancelled === true ? null : replyTo(open, { value, confirmed });
    if (reply === undefined) return hints[open.request.method] ?? "nothing is asked there";
    open.reply(reply);
    return null;
  }

  /** All that was asked by now stays without an answer. */
  leave(): void {
    for (const { reply } of this.#open.values()) reply(null);
  }

  /** Nobody is there any more. */
  close(): void {
    this.#isOver = true;
    this.leave();
  }

  #numbered(request: Request): RpcUiRequest {
    this.#asked += 1;
    return this.#conceal({ type: "extension_ui_request", id: `q${this.#asked}`, ...request } as RpcUiRequest);
  }
}

/** Without secrets. */
type Conceal = (told: RpcUiRequest) => RpcUiRequest;

interface Open {
  readonly request: Request;
  /** The same, as it was told. */
  readonly told: RpcUiRequest;
  readonly reply: (replied: Replied) => void;
}

const LONGEST_MS = 2 ** 31 - 1;

const hints: Readonly<Record<string, string>> = {
  select: '"value" must be one of the options; or say "cancelled": true',
  confirm: '"confirmed" must be true or false; or say "cancelled": true',
  input: '"value" must be a text; or say "cancelled": true',
};

interface Given {
  readonly value: unknown;
  readonly confirmed: unknown;
}

/** Undefined for what is no answer to it. */
function replyTo({ request, told }: Open, { value, confirmed }: Given): Replied | undefined {
  if (request.method === "confirm") return typeof confirmed === "boolean" ? { confirmed } : undefined;
  if (typeof value !== "string") return undefined;
  if (request.method !== "select" || told.method !== "select") return { value };
  // What was shown without a secret stands for what was meant.
  const meant = request.options[told.options.indexOf(value)];
  return meant === undefined ? undefined : { value: meant };
}

export function rpcUi(questions: Questions): ExtensionUi {
  return {
    select: async (title, options, asking = {}) => {
      const replied = await questions.ask({ method: "select", title, options, ...timed(asking) }, waiting(asking));
      return replied && "value" in replied ? replied.value : undefined;
    },
    confirm: async (title, message, asking = {}) => {
      const replied = await questions.ask({ method: "confirm", title, message, ...timed(asking) }, waiting(asking));
      return replied !== null && "confirmed" in replied && replied.confirmed;
    },
    input: async (title, placeholder, asking = {}) => {
      const hint = placeholder === undefined ? {} : { placeholder };
      const replied = await questions.ask({ method: "input", title, ...hint, ...timed(asking) }, waiting(asking));
      return replied && "value" in replied ? replied.value : undefined;
    },
    notify: (message, type = "info") => questions.show({ method: "notify", message, notifyType: type }),
    setStatus: (statusKey, text) =>
      questions.show({ method: "setStatus", statusKey, ...(text !== undefined && { statusText: text }) }),
    setWidget: (widgetKey, lines) =>
      questions.show({ method: "setWidget", widgetKey, ...(lines && { widgetLines: lines }) }),
  };
}

function timed({ timeout }: UiPromptOptions): { readonly timeout?: number } {
  return timeout === undefined ? {} : { timeout };
}

function waiting({ signal, timeout }: UiPromptOptions): Waiting {
  return { signal, timeout };
}

/** One question at a time comes here: the permissions see to that. */
export function rpcAsk(questions: Questions): AskPermission {
  return async (question, { signal }) => {
    const choices = choicesFor(question);
    const { tool, arguments: given, intent, text, rules, yesLasts } = question;
    const lasts = yesLasts ? { yesLasts } : {};
    const permission = { tool, arguments: given, intent, text, ...lasts, rules: rules.map((rule) => rule.text) };
    const request = { method: "select", title: text, options: [...choices.keys()], timeout: PATIENCE_MS } as const;
    const replied = await questions.ask({ ...request, permission }, { signal, timeout: PATIENCE_MS });
    return (replied && "value" in replied ? choices.get(replied.value) : undefined) ?? { type: "no" };
  };
}

/** RPC9: whoever does not answer has not said yes. */
const PATIENCE_MS = 5 * 60 * 1000;

function choicesFor({ rules, yesLasts }: PermissionQuestion): ReadonlyMap<string, PermissionAnswer> {
  const remembered = rules.flatMap((rule): readonly (readonly [string, PermissionAnswer])[] => [
    // Where a yes lasts that long already, the same need not be offered twice.
    ...(yesLasts ? [] : [[`Yes, and ${rule.text} in this session`, yes(rule, "session")] as const]),
    [`Yes, and ${rule.text} in this project`, yes(rule, "project")],
  ]);
  return new Map<string, PermissionAnswer>([["Yes", { type: "yes" }], ...remembered, ["No", { type: "no" }]]);
}

function yes(rule: Rule, span: "session" | "project"): PermissionAnswer {
  return { type: "yes", remember: { rule, for: span } };
}
