/** Gives extensions guarded access to the user and the session. Actions have no effect before the session starts and after it ends. */

import type { Agent } from "../agent.ts";
import type { ExtensionActions, ReportError } from "./api.ts";
import {
  type CommandContext,
  type ExtensionCompactOptions,
  type ExtensionContext,
  type ExtensionUi,
  headlessUi,
} from "./api.ts";
import type { UiPromptEvent } from "./events.ts";

/** The session that the extensions act on; none before it starts. */
export class SessionBinding {
  #actions: ExtensionActions | null = null;
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Null before the session starts. After it has ended, the session can still be read. */
  get boundActions(): ExtensionActions | null {
    return this.#actions;
  }

  bind(actions: ExtensionActions): void {
    this.#actions = actions;
    this.#isClosed = false;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Throws if there is no session to act on. */
  requireActions(): ExtensionActions {
    if (this.#isClosed) throw new Error(SESSION_CLOSED);
    if (!this.#actions) throw new Error(NO_SESSION_YET);
    return this.#actions;
  }
}

const SESSION_CLOSED = "this session has ended; the call had no effect";
const NO_SESSION_YET = "the session has not started; call this in session_start or later";

export interface ExtensionContextOptions extends Pick<ExtensionContext, "ui" | "hasUI" | "cwd"> {
  /** Null if the session is not saved. */
  readonly sessionFile: string | null;
  /** The name of the session, used if the loaded entries do not contain it. */
  readonly sessionName?: () => string | null;
}

/** Each access reads the current state of the session. Entries are copies. */
export function createExtensionContext(
  agent: Agent,
  { ui, hasUI, cwd, ...options }: ExtensionContextOptions,
): ExtensionContext {
  return {
    ui,
    hasUI,
    cwd,
    session: {
      id: agent.session.store.header.id,
      file: options.sessionFile,
      get name() {
        const infoEntry = agent.session.branch.entries.findLast(({ type }) => type === "session_info");
        return infoEntry?.type === "session_info" ? infoEntry.name || null : (options.sessionName?.() ?? null);
      },
      get leafId() {
        return agent.session.leaf;
      },
      entries: () => structuredClone(agent.session.branch.entries),
      branch: async () => structuredClone(await agent.session.branchEntries()),
      entry: async (id) => structuredClone(await agent.session.store.entry(id)),
    },
    get model() {
      const { api, provider, model, contextWindow, maxTokens } = agent.model;
      return { api, provider, model, contextWindow, maxTokens };
    },
    isIdle: () => !agent.isBusy && !agent.isRunning,
    hasPendingMessages: () => agent.queue.length > 0,
    abort: () => void agent.abort(),
    getContextUsage: () => {
      const { tokens, isEstimate, measured, contextWindow } = agent.contextUsage();
      const percent = Math.round((tokens / contextWindow) * 1000) / 10;
      return { tokens, isEstimate, measured, contextWindow, percent };
    },
    compact: (compactOptions = {}) => void compactInBackground(agent, compactOptions),
  };
}

/** Never rejects: errors, also those of `onComplete`, go to `onError`. */
async function compactInBackground(
  agent: Agent,
  { customInstructions, onComplete, onError }: ExtensionCompactOptions,
): Promise<void> {
  try {
    const outcome = await agent.compact(customInstructions);
    if (outcome.type === "compacted") onComplete?.(structuredClone(outcome));
    else onError?.(new Error("why" in outcome ? `${outcome.type}: ${outcome.why}` : outcome.type));
  } catch (error) {
    try {
      onError?.(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // `onError` itself failed: there is no other place to report to.
    }
  }
}

/** Returns the same promise, and reports its rejection: without a handler, a rejected promise would end the program. */
export function reportRejection<Outcome>(
  outcome: Promise<Outcome>,
  source: string,
  reportError: ReportError,
): Promise<Outcome> {
  outcome.catch((error: unknown) => reportError(source, error instanceof Error ? error.message : String(error)));
  return outcome;
}

export interface GuardOptions {
  readonly binding: SessionBinding;
  readonly prompts: PromptTracker;
  /** The context before the session starts. */
  readonly initialContext: InitialContext;
  /** Called when an extension acts on a session that has ended. */
  readonly reportError: ReportError;
}

export type InitialContext = Pick<ExtensionContext, "ui" | "hasUI" | "cwd">;

/** Each access reads the current state. An extension may keep the context: after the session has ended, calls have no effect and are reported. */
export function createGuardedContext(options: GuardOptions): ExtensionContext {
  const { binding, initialContext } = options;
  const currentContext = (): ExtensionContext => {
    if (!binding.boundActions) throw new Error(NO_SESSION_YET);
    return binding.boundActions.context();
  };
  return {
    get ui() {
      return createGuardedUi(options, () => (binding.boundActions ? currentContext() : initialContext).ui);
    },
    get hasUI() {
      return !binding.isClosed && (binding.boundActions ? currentContext() : initialContext).hasUI;
    },
    get cwd() {
      return (binding.boundActions ? currentContext() : initialContext).cwd;
    },
    get session() {
      return currentContext().session;
    },
    get model() {
      return currentContext().model;
    },
    isIdle: () => binding.isClosed || currentContext().isIdle(),
    hasPendingMessages: () => !binding.isClosed && currentContext().hasPendingMessages(),
    abort: guardAction("abort", options, () => currentContext().abort()),
    getContextUsage: () => currentContext().getContextUsage(),
    compact: (compactOptions) => {
      if (binding.isClosed) compactOptions?.onError?.(new Error(SESSION_CLOSED));
      guardAction("compact", options, () => currentContext().compact(compactOptions))();
    },
  };
}

/** The guarded context of a command: its host also provides navigation and session methods. */
export function createGuardedCommandContext(context: CommandContext, options: GuardOptions): CommandContext {
  const { binding, reportError } = options;
  const guardMethod = <Args extends readonly unknown[], Outcome>(
    name: string,
    method: (...args: Args) => Promise<Outcome>,
  ): ((...args: Args) => Promise<Outcome>) => {
    const callMethod = async (...args: Args): Promise<Outcome> => {
      if (binding.isClosed) throw new Error(SESSION_CLOSED);
      return method(...args);
    };
    return (...args) => reportRejection(callMethod(...args), name, reportError);
  };
  const baseContext = createGuardedContext({ ...options, initialContext: context });
  return Object.defineProperties(
    {
      waitForIdle: guardMethod("waitForIdle", () => context.waitForIdle()),
      navigateTree: guardMethod("navigateTree", (target, args) => context.navigateTree(target, args)),
      newSession: guardMethod("newSession", () => context.newSession()),
      fork: guardMethod("fork", (entryId) => context.fork(entryId)),
      switchSession: guardMethod("switchSession", (path) => context.switchSession(path)),
      reload: guardMethod("reload", () => context.reload()),
    } as CommandContext,
    {
      ...Object.getOwnPropertyDescriptors(baseContext),
      // A command may have its own UI, e.g. the connection that it was sent through.
      ui: { get: () => createGuardedUi(options, () => context.ui), enumerable: true },
      hasUI: { get: () => !binding.isClosed && context.hasUI, enumerable: true },
    },
  );
}

// Each call checks the session: a UI that is kept after its end shows nothing.
function createGuardedUi({ binding, prompts, reportError }: GuardOptions, ui: () => ExtensionUi): ExtensionUi {
  const currentUi = (method: keyof ExtensionUi): ExtensionUi => {
    if (!binding.isClosed) return prompts.wrap(ui());
    reportError(`ui.${method}`, SESSION_CLOSED);
    return headlessUi;
  };
  return {
    select: (...args) => reportRejection(currentUi("select").select(...args), "ui.select", reportError),
    confirm: (...args) => reportRejection(currentUi("confirm").confirm(...args), "ui.confirm", reportError),
    input: (...args) => reportRejection(currentUi("input").input(...args), "ui.input", reportError),
    notify: (...args) => currentUi("notify").notify(...args),
    setStatus: (...args) => currentUi("setStatus").setStatus(...args),
    setWidget: (...args) => currentUi("setWidget").setWidget(...args),
  };
}

function guardAction(name: string, { binding, reportError }: GuardOptions, action: () => void): () => void {
  return () => (binding.isClosed ? reportError(name, SESSION_CLOSED) : action());
}

/** Announces each question of an extension to all extensions, and counts open ones: no hook times out while the user is asked. */
export class PromptTracker {
  readonly #emit: (event: UiPromptEvent) => void;
  #openCount = 0;

  constructor(emit: (event: UiPromptEvent) => void) {
    this.#emit = emit;
  }

  /** Whether a question to the user is open. */
  get isOpen(): boolean {
    return this.#openCount > 0;
  }

  /** Wraps a UI: values that are not strings are refused before they reach it. */
  wrap(ui: ExtensionUi): ExtensionUi {
    return {
      select: async (title, options, promptOptions) => {
        checkTexts(title, ...options);
        return this.#trackPrompt({ method: "select", title }, () => ui.select(title, options, promptOptions));
      },
      confirm: async (title, message, promptOptions) => {
        checkTexts(title, message);
        return this.#trackPrompt({ method: "confirm", title }, () => ui.confirm(title, message, promptOptions));
      },
      input: async (title, placeholder, promptOptions) => {
        checkTexts(title, placeholder ?? "");
        return this.#trackPrompt({ method: "input", title }, () => ui.input(title, placeholder, promptOptions));
      },
      notify: (message, type) => {
        checkTexts(message);
        ui.notify(message, type);
      },
      setStatus: (key, text) => {
        checkTexts(key, text ?? "");
        ui.setStatus(key, text);
      },
      setWidget: (key, lines) => {
        checkTexts(key, ...(lines ?? []));
        ui.setWidget(key, lines);
      },
    };
  }

  async #trackPrompt<Answer>(prompt: Omit<UiPromptEvent, "type">, ask: () => Promise<Answer>): Promise<Answer> {
    this.#openCount += 1;
    this.#emit({ type: "ui_prompt_start", ...prompt });
    try {
      return await ask();
    } finally {
      this.#openCount -= 1;
      this.#emit({ type: "ui_prompt_end", ...prompt });
    }
  }
}

function checkTexts(...values: readonly unknown[]): void {
  if (!values.every((value) => typeof value === "string")) throw new Error("text for the user must be a string");
}
