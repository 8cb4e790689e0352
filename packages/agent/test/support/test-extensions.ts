/** Creates extensions for tests: timeouts end after a few turns of the event loop, and failures and actions are recorded. */

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

/** A sleep lasts a few turns of the event loop, whatever its duration. */
export const testRuntime: Pick<Runtime, "sleep"> = {
  sleep: async (_, { signal }) => {
    for (let turn = 0; turn < 6 && !signal?.aborted; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  },
};

export interface Assembly {
  readonly extensions: Extensions;
  readonly failures: ExtensionFailure[];
}

export async function assemble(
  extensionsByName: Readonly<Record<string, Extension>>,
  builtIn: { readonly tools?: readonly string[]; readonly commands?: readonly string[] } = {},
): Promise<Assembly> {
  const failures: ExtensionFailure[] = [];
  const extensions = await createExtensions(
    Object.entries(extensionsByName).map(([name, extension]) => ({ name, extension })),
    {
      runtime: testRuntime,
      report: (failure) => void failures.push(failure),
      builtInTools: builtIn.tools ?? [],
      builtInCommands: builtIn.commands ?? [],
    },
  );
  return { extensions, failures };
}

/** Actions that only record their calls. */
export function recordActions(done: string[], ui: ExtensionContext["ui"] = headlessUi): ExtensionActions {
  const record =
    (action: string) =>
    async (...args: readonly unknown[]): Promise<never> =>
      void done.push([action, ...args].join(" ")) as never;
  return {
    appendEntry: record("appendEntry"),
    appendUsage: record("appendUsage"),
    sendMessage: record("sendMessage"),
    sendUserMessage: record("sendUserMessage"),
    setLabel: record("setLabel"),
    setSessionName: record("setSessionName"),
    openModel: record("openModel"),
    context: () => createContext(done, ui),
  };
}

export function createContext(done: string[], ui: ExtensionContext["ui"]): CommandContext {
  const notCancelled = async () => ({ cancelled: false });
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
    navigateTree: notCancelled,
    newSession: notCancelled,
    fork: notCancelled,
    switchSession: notCancelled,
    reload: async () => undefined,
  };
}

/** Waits until pending promises and immediates have settled. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export const hang = (): Promise<never> => new Promise(() => {});
