/** Runs extension functions and collects what they register, as given; it is validated later. */

import type { Runtime } from "@pith/context";
import { runGuarded, timeouts } from "@pith/context/host";
import type { ExtensionApi } from "./api.ts";
import { reportRejection } from "./context.ts";
import type { ExtensionActions, ExtensionModule, ReportError } from "./extensions.ts";

/** It comes from outside: whatever it says of itself, any of this may be anything. */
export interface Registrations {
  readonly name: string;
  readonly handlers: { readonly event: unknown; readonly handler: unknown }[];
  readonly tools: unknown[];
  readonly commands: { readonly name: unknown; readonly command: unknown }[];
  readonly states: { readonly name: unknown; readonly text: unknown }[];
  readonly summarizers: unknown[];
  readonly rules: unknown[];
}

export interface ExtensionApiOptions {
  /** Whether something may still be registered. */
  readonly isOpen: () => boolean;
  /** Throws where there is no session to act on. */
  readonly getActions: () => ExtensionActions;
  /** Told which act failed, and why. */
  readonly reportError: ReportError;
}

type ActionName = Exclude<keyof ExtensionActions, "context">;

export function createRegistrations(name: string): Registrations {
  return { name, handlers: [], tools: [], commands: [], states: [], summarizers: [], rules: [] };
}

/** The hand it is given: what it registers is put down, and what it does reaches the session it is bound to. */
export function createExtensionApi(
  registrations: Registrations,
  { isOpen, getActions, reportError }: ExtensionApiOptions,
): ExtensionApi {
  const register = <Thing>(list: Thing[], item: Thing): void => {
    if (!isOpen()) throw new Error("it is too late to register anything: do it before your function returns");
    list.push(item);
  };
  const bindAction = <Name extends ActionName>(name: Name): ExtensionActions[Name] => {
    const callAction = async (...args: readonly never[]): Promise<unknown> =>
      (getActions()[name] as (...args: readonly never[]) => Promise<unknown>)(...args);
    return ((...args: readonly never[]) =>
      reportRejection(callAction(...args), name, reportError)) as ExtensionActions[Name];
  };
  return {
    on: (event, handler) => register(registrations.handlers, { event, handler }),
    registerTool: (tool) => register(registrations.tools, tool),
    registerCommand: (name, command) => register(registrations.commands, { name, command }),
    registerState: (name, text) => register(registrations.states, { name, text }),
    registerWriter: (writer) => register(registrations.summarizers, writer),
    registerRules: (rules) => register(registrations.rules, rules),
    appendEntry: bindAction("appendEntry"),
    appendUsage: bindAction("appendUsage"),
    sendMessage: bindAction("sendMessage"),
    sendUserMessage: bindAction("sendUserMessage"),
    setLabel: bindAction("setLabel"),
    setSessionName: bindAction("setSessionName"),
    openModel: bindAction("openModel"),
  };
}

export interface FactoryOptions {
  readonly runtime: Pick<Runtime, "sleep">;
  readonly getActions: () => ExtensionActions;
  readonly errorReporterFor: (extension: string) => ReportError;
}

export interface FactoryResults {
  /** In the order in which they were named. */
  readonly registrations: readonly Registrations[];
  readonly notes: readonly string[];
}

/** Runs the functions of all extensions at once; one that throws or hangs registers nothing, and the others go on. */
export async function runFactories(
  modules: readonly ExtensionModule[],
  options: FactoryOptions,
): Promise<FactoryResults> {
  const results = await Promise.all(modules.map((each) => runFactory(each, options)));
  return {
    registrations: results.filter((each) => typeof each !== "string"),
    notes: results.filter((each) => typeof each === "string"),
  };
}

async function runFactory(
  { name, extension }: ExtensionModule,
  { runtime, getActions, errorReporterFor }: FactoryOptions,
): Promise<Registrations | string> {
  const registrations = createRegistrations(name);
  let isOpen = true;
  const api = createExtensionApi(registrations, {
    isOpen: () => isOpen,
    getActions,
    reportError: errorReporterFor(name),
  });
  const timeout = { ms: timeouts.hook, sleep: runtime.sleep };
  const result = await runGuarded(async () => extension(api), { timeout: timeout });
  isOpen = false;
  switch (result.type) {
    case "done":
      return registrations;
    case "failed":
      return `extension ${name} is left out: ${result.why}`;
    case "late":
    case "aborted":
      return `extension ${name} is left out: its function has not returned within ${timeouts.hook / 1000} s`;
  }
}
