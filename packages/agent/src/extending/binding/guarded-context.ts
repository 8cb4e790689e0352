/** What one extension is given of the session: safe to keep, because after the session was left it does nothing and says so. */

import type { CommandContext, ExtensionContext } from "../extension.ts";
import { type ExtensionUi, nobodyThere } from "../extension-ui.ts";
import { type Binding, EARLY, LEFT } from "./binding.ts";
import type { Prompts } from "./prompts.ts";
import { reporting } from "./reporting.ts";

export interface GuardParts {
  readonly binding: Binding;
  readonly prompts: Prompts;
  /** What there is before a session. */
  readonly early: EarlySight;
  /** Told that something was wanted of a session that was left. */
  readonly complain: (what: string, why: string) => void;
}

export type EarlySight = Pick<ExtensionContext, "ui" | "hasUI" | "cwd">;

/** As the session is at the moment it is looked at. */
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
