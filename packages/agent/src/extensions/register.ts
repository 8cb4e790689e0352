/** Runs extension functions and collects what they register, as given; it is validated later. */

import type { Runtime } from "@pith/context";
import { runGuarded, timeouts } from "@pith/context/host";
import type { ExtensionApi } from "./api.ts";
import { reporting } from "./context.ts";
import type { Complain, ExtensionActs, NamedExtension } from "./extensions.ts";

/** It comes from outside: whatever it says of itself, any of this may be anything. */
export interface Registered {
  readonly name: string;
  readonly handlers: { readonly event: unknown; readonly handler: unknown }[];
  readonly tools: unknown[];
  readonly commands: { readonly name: unknown; readonly command: unknown }[];
  readonly states: { readonly name: unknown; readonly text: unknown }[];
  readonly writers: unknown[];
  readonly rules: unknown[];
}

export interface ApiParts {
  /** Whether something may still be registered. */
  readonly isOpen: () => boolean;
  /** Throws where there is no session to act on. */
  readonly acts: () => ExtensionActs;
  /** Told which act failed, and why. */
  readonly complain: Complain;
}

type Act = Exclude<keyof ExtensionActs, "context">;

export function nothingRegistered(name: string): Registered {
  return { name, handlers: [], tools: [], commands: [], states: [], writers: [], rules: [] };
}

/** The hand it is given: what it registers is put down, and what it does reaches the session it is bound to. */
export function apiFor(registered: Registered, { isOpen, acts, complain }: ApiParts): ExtensionApi {
  const put = <Thing>(list: Thing[], thing: Thing): void => {
    if (!isOpen()) throw new Error("it is too late to register anything: do it before your function returns");
    list.push(thing);
  };
  const act = <Name extends Act>(name: Name): ExtensionActs[Name] => {
    const done = async (...wish: readonly never[]): Promise<unknown> =>
      (acts()[name] as (...wish: readonly never[]) => Promise<unknown>)(...wish);
    return ((...wish: readonly never[]) => reporting(done(...wish), name, complain)) as ExtensionActs[Name];
  };
  return {
    on: (event, handler) => put(registered.handlers, { event, handler }),
    registerTool: (tool) => put(registered.tools, tool),
    registerCommand: (name, command) => put(registered.commands, { name, command }),
    registerState: (name, text) => put(registered.states, { name, text }),
    registerWriter: (writer) => put(registered.writers, writer),
    registerRules: (rules) => put(registered.rules, rules),
    appendEntry: act("appendEntry"),
    appendUsage: act("appendUsage"),
    sendMessage: act("sendMessage"),
    sendUserMessage: act("sendUserMessage"),
    setLabel: act("setLabel"),
    setSessionName: act("setSessionName"),
    openModel: act("openModel"),
  };
}

export interface FactoryParts {
  readonly ports: Pick<Runtime, "sleep">;
  readonly acts: () => ExtensionActs;
  readonly complainer: (extension: string) => Complain;
}

export interface Ran {
  /** In the order in which they were named. */
  readonly registered: readonly Registered[];
  readonly notes: readonly string[];
}

/** Runs the functions of all extensions at once; one that throws or hangs registers nothing, and the others go on. */
export async function runFactories(named: readonly NamedExtension[], parts: FactoryParts): Promise<Ran> {
  const ran = await Promise.all(named.map((each) => runFactory(each, parts)));
  return {
    registered: ran.filter((each) => typeof each !== "string"),
    notes: ran.filter((each) => typeof each === "string"),
  };
}

async function runFactory(
  { name, extension }: NamedExtension,
  { ports, acts, complainer }: FactoryParts,
): Promise<Registered | string> {
  const registered = nothingRegistered(name);
  let isOpen = true;
  const api = apiFor(registered, { isOpen: () => isOpen, acts, complain: complainer(name) });
  const within = { ms: timeouts.hook, sleep: ports.sleep };
  const act = await runGuarded(async () => extension(api), { timeout: within });
  isOpen = false;
  switch (act.type) {
    case "done":
      return registered;
    case "failed":
      return `extension ${name} is left out: ${act.why}`;
    case "late":
    case "aborted":
      return `extension ${name} is left out: its function has not returned within ${timeouts.hook / 1000} s`;
  }
}
