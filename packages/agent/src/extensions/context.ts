/** Gives extensions guarded access to the user and the session. Actions have no effect before the session starts and after it ends. */

import type { Agent } from "../agent.ts";
import {
  type CommandContext,
  type CompactWish,
  type ExtensionContext,
  type ExtensionUi,
  nobodyThere,
  type SessionSight,
} from "./api.ts";
import type { UiPromptEvent } from "./events.ts";
import type { Complain, ExtensionActs } from "./extensions.ts";

export class Binding {
  #acts: ExtensionActs | null = null;
  #isLeft = false;

  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Null before there is a session; that of one that was left can still be looked at. */
  get bound(): ExtensionActs | null {
    return this.#acts;
  }

  bind(acts: ExtensionActs): void {
    this.#acts = acts;
    this.#isLeft = false;
  }

  leave(): void {
    this.#isLeft = true;
  }

  /** Throws, to whoever wants to act, where there is nothing to act on. */
  acts(): ExtensionActs {
    if (this.#isLeft) throw new Error(LEFT);
    if (!this.#acts) throw new Error(EARLY);
    return this.#acts;
  }
}

export const LEFT = "this session was left: nothing was done";
export const EARLY = "there is no session yet: do this from session_start on";

export interface SightParts extends Pick<ExtensionContext, "ui" | "hasUI" | "cwd"> {
  /** Null where nothing is kept. */
  readonly sessionFile: string | null;
  /** Of the session, where its loaded end does not say. */
  readonly sessionName?: () => string | null;
}

/** The session as it is at the moment of each access; what it holds is handed out as copies. */
export function contextOn(agent: Agent, { ui, hasUI, cwd, ...parts }: SightParts): ExtensionContext {
  return {
    ui,
    hasUI,
    cwd,
    session: sightOf(agent, parts),
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
    compact: (wish = {}) => void compacted(agent, wish),
  };
}

function sightOf({ session }: Agent, parts: Pick<SightParts, "sessionFile" | "sessionName">): SessionSight {
  return {
    id: session.store.header.id,
    file: parts.sessionFile,
    get name() {
      const named = session.branch.entries.findLast(({ type }) => type === "session_info");
      return named?.type === "session_info" ? named.name || null : (parts.sessionName?.() ?? null);
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
async function compacted(agent: Agent, { customInstructions, onComplete, onError }: CompactWish): Promise<void> {
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
export function reporting<Outcome>(outcome: Promise<Outcome>, what: string, complain: Complain): Promise<Outcome> {
  outcome.catch((error: unknown) => complain(what, error instanceof Error ? error.message : String(error)));
  return outcome;
}

export interface GuardParts {
  readonly binding: Binding;
  readonly prompts: Prompts;
  /** What there is before a session. */
  readonly early: EarlySight;
  /** Told that something was wanted of a session that was left. */
  readonly complain: (what: string, why: string) => void;
}

export type EarlySight = Pick<ExtensionContext, "ui" | "hasUI" | "cwd">;

/** As the session is at the moment it is looked at. Safe to keep: after the session was left it does nothing, and reports that. */
export function guardedContext(parts: GuardParts): ExtensionContext {
  const { binding, early } = parts;
  const sight = (): ExtensionContext => {
    if (!binding.bound) throw new Error(EARLY);
    return binding.bound.context();
  };
  return {
    get ui() {
      return guardedUi(parts, () => (binding.bound ? sight() : early).ui);
    },
    get hasUI() {
      return !binding.isLeft && (binding.bound ? sight() : early).hasUI;
    },
    get cwd() {
      return (binding.bound ? sight() : early).cwd;
    },
    get session() {
      return sight().session;
    },
    get model() {
      return sight().model;
    },
    isIdle: () => binding.isLeft || sight().isIdle(),
    hasPendingMessages: () => !binding.isLeft && sight().hasPendingMessages(),
    abort: unlessLeft("abort", parts, () => sight().abort()),
    getContextUsage: () => sight().getContextUsage(),
    compact: (wish) => {
      if (binding.isLeft) wish?.onError?.(new Error(LEFT));
      unlessLeft("compact", parts, () => sight().compact(wish))();
    },
  };
}

/** The same for a command, whose host knows more ways. */
export function guardedCommandContext(context: CommandContext, parts: GuardParts): CommandContext {
  const { binding, complain } = parts;
  const unlessGone = <Wish extends readonly unknown[], Outcome>(
    what: string,
    way: (...wish: Wish) => Promise<Outcome>,
  ): ((...wish: Wish) => Promise<Outcome>) => {
    const gone = async (...wish: Wish): Promise<Outcome> => {
      if (binding.isLeft) throw new Error(LEFT);
      return way(...wish);
    };
    return (...wish) => reporting(gone(...wish), what, complain);
  };
  const guarded = guardedContext({ ...parts, early: context });
  return Object.defineProperties(
    {
      waitForIdle: unlessGone("waitForIdle", () => context.waitForIdle()),
      navigateTree: unlessGone("navigateTree", (target, wish) => context.navigateTree(target, wish)),
      newSession: unlessGone("newSession", () => context.newSession()),
      fork: unlessGone("fork", (entryId) => context.fork(entryId)),
      switchSession: unlessGone("switchSession", (path) => context.switchSession(path)),
      reload: unlessGone("reload", () => context.reload()),
    } as CommandContext,
    {
      ...Object.getOwnPropertyDescriptors(guarded),
      // A command may come with a port of its own, such as one line of a talk.
      ui: { get: () => guardedUi(parts, () => context.ui), enumerable: true },
      hasUI: { get: () => !binding.isLeft && context.hasUI, enumerable: true },
    },
  );
}

// Every call looks anew: who keeps the port past the end of the session reaches nobody.
function guardedUi({ binding, prompts, complain }: GuardParts, ui: () => ExtensionUi): ExtensionUi {
  const here = (what: keyof ExtensionUi): ExtensionUi => {
    if (!binding.isLeft) return prompts.around(ui());
    complain(`ui.${what}`, LEFT);
    return nobodyThere;
  };
  return {
    select: (...asked) => reporting(here("select").select(...asked), "ui.select", complain),
    confirm: (...asked) => reporting(here("confirm").confirm(...asked), "ui.confirm", complain),
    input: (...asked) => reporting(here("input").input(...asked), "ui.input", complain),
    notify: (...said) => here("notify").notify(...said),
    setStatus: (...said) => here("setStatus").setStatus(...said),
    setWidget: (...said) => here("setWidget").setWidget(...said),
  };
}

function unlessLeft(what: string, { binding, complain }: GuardParts, act: () => void): () => void {
  return () => (binding.isLeft ? complain(what, LEFT) : act());
}

/** Announces each question of an extension to all extensions, and counts open ones: no hook times out while the user is asked. */
export class Prompts {
  readonly #tell: (event: UiPromptEvent) => void;
  #open = 0;

  constructor(tell: (event: UiPromptEvent) => void) {
    this.#tell = tell;
  }

  /** Whether a person is being asked. */
  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** The same port; what is no text is refused before it reaches anybody. */
  around(ui: ExtensionUi): ExtensionUi {
    return {
      select: async (title, options, asking) => {
        texts(title, ...options);
        return this.#during({ method: "select", title }, () => ui.select(title, options, asking));
      },
      confirm: async (title, message, asking) => {
        texts(title, message);
        return this.#during({ method: "confirm", title }, () => ui.confirm(title, message, asking));
      },
      input: async (title, placeholder, asking) => {
        texts(title, placeholder ?? "");
        return this.#during({ method: "input", title }, () => ui.input(title, placeholder, asking));
      },
      notify: (message, type) => {
        texts(message);
        ui.notify(message, type);
      },
      setStatus: (key, text) => {
        texts(key, text ?? "");
        ui.setStatus(key, text);
      },
      setWidget: (key, lines) => {
        texts(key, ...(lines ?? []));
        ui.setWidget(key, lines);
      },
    };
  }

  async #during<Answer>(prompt: Omit<UiPromptEvent, "type">, ask: () => Promise<Answer>): Promise<Answer> {
    this.#open += 1;
    this.#tell({ type: "ui_prompt_start", ...prompt });
    try {
      return await ask();
    } finally {
      this.#open -= 1;
      this.#tell({ type: "ui_prompt_end", ...prompt });
    }
  }
}

function texts(...values: readonly unknown[]): void {
  if (!values.every((value) => typeof value === "string")) throw new Error("what is shown to a person must be text");
}
