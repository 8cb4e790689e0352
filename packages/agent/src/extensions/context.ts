/** Gives extensions guarded access to the user and the session. Actions have no effect before the session starts and after it ends. */

import type { Agent } from "../agent.ts";
import {
  type CommandContext,
  type ExtensionCompactOptions,
  type ExtensionContext,
  type ExtensionUi,
  headlessUi,
  type SessionView,
} from "./api.ts";
import type { UiPromptEvent } from "./events.ts";
import type { ExtensionActions, ReportError } from "./extensions.ts";

export class SessionBinding {
  #actions: ExtensionActions | null = null;
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Null before there is a session; that of one that was left can still be looked at. */
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

  /** Throws, to whoever wants to act, where there is nothing to act on. */
  requireActions(): ExtensionActions {
    if (this.#isClosed) throw new Error(SESSION_CLOSED);
    if (!this.#actions) throw new Error(NO_SESSION_YET);
    return this.#actions;
  }
}

export const SESSION_CLOSED = "this session was left: nothing was done";
export const NO_SESSION_YET = "there is no session yet: do this from session_start on";

export interface ExtensionContextOptions extends Pick<ExtensionContext, "ui" | "hasUI" | "cwd"> {
  /** Null where nothing is kept. */
  readonly sessionFile: string | null;
  /** Of the session, where its loaded end does not say. */
  readonly sessionName?: () => string | null;
}

/** The session as it is at the moment of each access; what it holds is handed out as copies. */
export function createExtensionContext(
  agent: Agent,
  { ui, hasUI, cwd, ...options }: ExtensionContextOptions,
): ExtensionContext {
  return {
    ui,
    hasUI,
    cwd,
    session: createSessionView(agent, options),
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

function createSessionView(
  { session }: Agent,
  options: Pick<ExtensionContextOptions, "sessionFile" | "sessionName">,
): SessionView {
  return {
    id: session.store.header.id,
    file: options.sessionFile,
    get name() {
      const infoEntry = session.branch.entries.findLast(({ type }) => type === "session_info");
      return infoEntry?.type === "session_info" ? infoEntry.name || null : (options.sessionName?.() ?? null);
    },
    get leafId() {
      return session.leaf;
    },
    entries: () => structuredClone(session.branch.entries),
    branch: async () => structuredClone(await session.branchEntries()),
    entry: async (id) => structuredClone(await session.store.entry(id)),
  };
}

/** What its own listeners throw is nobody else's affair. */
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
      // It was told; there is nobody else to tell.
    }
  }
}

/** The same promise. One that fails and that nobody waits for would end the program. */
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
  /** What there is before a session. */
  readonly initialContext: InitialContext;
  /** Told that something was wanted of a session that was left. */
  readonly reportError: (what: string, why: string) => void;
}

export type InitialContext = Pick<ExtensionContext, "ui" | "hasUI" | "cwd">;

/** As the session is at the moment it is looked at. Safe to keep: after the session was left it does nothing, and reports that. */
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

/** The same for a command, whose host knows more ways. */
export function createGuardedCommandContext(context: CommandContext, options: GuardOptions): CommandContext {
  const { binding, reportError } = options;
  const guardMethod = <Wish extends readonly unknown[], Outcome>(
    name: string,
    method: (...args: Wish) => Promise<Outcome>,
  ): ((...args: Wish) => Promise<Outcome>) => {
    const callMethod = async (...args: Wish): Promise<Outcome> => {
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
      // A command may come with a port of its own, such as one line of a talk.
      ui: { get: () => createGuardedUi(options, () => context.ui), enumerable: true },
      hasUI: { get: () => !binding.isClosed && context.hasUI, enumerable: true },
    },
  );
}

// Every call looks anew: who keeps the port past the end of the session reaches nobody.
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

  /** Whether a person is being asked. */
  get isOpen(): boolean {
    return this.#openCount > 0;
  }

  /** The same port; what is no text is refused before it reaches anybody. */
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
  if (!values.every((value) => typeof value === "string")) throw new Error("what is shown to a person must be text");
}
