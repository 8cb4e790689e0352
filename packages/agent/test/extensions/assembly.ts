/** Extensions put together for a test, where thirty seconds are over at once, and all that went wrong is written down. */

import type { Runtime } from "@pith/context";
import {
  type CommandContext,
  createExtensions,
  type Extension,
  type ExtensionActions,
  type ExtensionContext,
  type ExtensionFailure,
  type Extensions,
  headlessUi,
} from "../../src/index.ts";

/** Whoever is waited for has a few turns of the event loop, and no clock. */
export const ports: Pick<Runtime, "sleep"> = {
  sleep: async (_, { signal }) => {
    for (let turn = 0; turn < 6 && !signal?.aborted; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  },
};

export interface Assembly {
  readonly extensions: Extensions;
  readonly failures: ExtensionFailure[];
}

export async function assembled(
  named: Readonly<Record<string, Extension>>,
  own: { readonly tools?: readonly string[]; readonly commands?: readonly string[] } = {},
): Promise<Assembly> {
  const failures: ExtensionFailure[] = [];
  const extensions = await createExtensions(
    Object.entries(named).map(([name, extension]) => ({ name, extension })),
    {
      runtime: ports,
      report: (failure) => void failures.push(failure),
      builtInTools: own.tools ?? [],
      builtInCommands: own.commands ?? [],
    },
  );
  return { extensions, failures };
}

/** A session on which nothing is done; what is wanted of it is written down. */
export function actsIn(done: string[], ui: ExtensionContext["ui"] = headlessUi): ExtensionActions {
  const did =
    (what: string) =>
    async (...said: readonly unknown[]): Promise<never> =>
      void done.push([what, ...said].join(" ")) as never;
  return {
    appendEntry: did("appendEntry"),
    appendUsage: did("appendUsage"),
    sendMessage: did("sendMessage"),
    sendUserMessage: did("sendUserMessage"),
    setLabel: did("setLabel"),
    setSessionName: did("setSessionName"),
    openModel: did("openModel"),
    context: () => contextIn(done, ui),
  };
}

export function contextIn(done: string[], ui: ExtensionContext["ui"]): CommandContext {
  const cancelled = async () => ({ cancelled: false });
  return {
    ui,
    hasUI: true,
    cwd: "/home/ada/app",
    session: {
      id: "s1",
      file: null,
      name: null,
      leafId: null,
      entries: () => [],
      branch: async () => [],
      entry: async () => undefined,
    },
    model: { api: "any", provider: "any", model: "any", contextWindow: 1, maxTokens: 1 },
    isIdle: () => false,
    hasPendingMessages: () => true,
    abort: () => void done.push("abort"),
    getContextUsage: () => ({ tokens: 0, isEstimate: true, measured: 0, contextWindow: 1, percent: 0 }),
    compact: () => void done.push("compact"),
    waitForIdle: async () => void done.push("waitForIdle"),
    navigateTree: cancelled,
    newSession: cancelled,
    fork: cancelled,
    switchSession: cancelled,
    reload: async () => undefined,
  };
}

/** Lets everything happen that happens by itself. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export const never = (): Promise<never> => new Promise(() => {});
