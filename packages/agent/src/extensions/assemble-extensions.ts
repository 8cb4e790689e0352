/** Runs extensions, validates what they register, and connects it to a session. No extension can disturb the others. */

import type { Runtime } from "@pith/context";
import { type HookFailure, type HookHost, runGuarded, runHooks, timeouts } from "@pith/context/host";
import {
  type CommandContext,
  type CommandRegistration,
  type CommandRunResult,
  type ExtensionActions,
  type ExtensionApi,
  type ExtensionFailure,
  type ExtensionModule,
  type Extensions,
  type HostEventName,
  headlessUi,
  type ReportError,
} from "./api.ts";
import {
  createGuardedCommandContext,
  createGuardedContext,
  type GuardOptions,
  type InitialContext,
  PromptTracker,
  reportRejection,
  SessionBinding,
} from "./context.ts";
import { createHooks, EventQueue, hostAnswerParsers, isFinalAnswer, toHook } from "./dispatch.ts";
import type { EventOf, ResultOf } from "./events.ts";
import {
  type Registrations,
  type ValidationOptions,
  type ValidRegistrations,
  validateRegistrations,
} from "./validate.ts";

/** Options of `createExtensions`. */
export interface CreateExtensionsOptions extends Pick<ValidationOptions, "builtInTools" | "builtInCommands"> {
  readonly runtime: Pick<Runtime, "sleep">;
  /** Called whenever an extension throws, hangs or returns an invalid result. */
  readonly report: (failure: ExtensionFailure) => void;
  /** The context before the session starts; by default there is no user interface. */
  readonly initialContext?: InitialContext;
}

export async function assembleExtensions(
  modules: readonly ExtensionModule[],
  options: CreateExtensionsOptions,
): Promise<Extensions> {
  const { runtime, report, initialContext = { ui: headlessUi, hasUI: false, cwd: "" } } = options;
  const binding = new SessionBinding();
  const queues: EventQueue[] = [];
  const prompts = new PromptTracker((event) => pushToQueues(queues, event));
  const errorReporterFor = (extension: string) => (event: string, why: string) =>
    reportSafely({ extension, event, why }, report);
  const createGuardOptions = (extension: string): GuardOptions => ({
    binding,
    prompts,
    initialContext,
    reportError: errorReporterFor(extension),
  });
  const factoryResults = await runFactories(modules, {
    runtime,
    errorReporterFor,
    getActions: () => binding.requireActions(),
  });
  const registrations = validateRegistrations(factoryResults.registrations, {
    ...options,
    errorReporterFor,
    contextFor: (extension) => createGuardedContext(createGuardOptions(extension)),
  });
  const isWaitingForUser = (): boolean => prompts.isOpen;
  // Two extensions may have the same name; each handler must get an event once.
  for (const name of new Set(registrations.list.map((each) => each.name))) {
    const host = { isWaitingForUser, report: ({ event, why }: HookFailure) => errorReporterFor(name)(event, why) };
    queues.push(
      new EventQueue({ handlers: registrations.handlers.filter(({ extension }) => extension === name), host, runtime }),
    );
  }
  const host: HookHost = {
    isWaitingForUser,
    report: (failure) => attributeFailure(failure, { registrations, report }),
  };
  return {
    ...registrations,
    notes: [...factoryResults.notes, ...registrations.notes],
    hooks: createHooks(registrations.handlers, host),
    // EXT6: handlers get these events as hooks, so they are not sent a second time.
    onEvent: (event) => void (EVENTS_SENT_TO_HOOKS.has(event.type) || pushToQueues(queues, event)),
    dispatch: async <Name extends HostEventName>(event: EventOf<Name> & { readonly type: Name }) => {
      if (event.type !== "session_shutdown") return dispatchEvent<Name>(event, { registrations, host, runtime });
      await drainQueues(queues, runtime);
      for (const queue of queues) queue.close();
      // The timeout of a shutdown also runs while a question is open: the user is leaving.
      const shutdownHost = { ...host, isWaitingForUser: () => false };
      const answers = await dispatchEvent<Name>(event, {
        registrations,
        host: shutdownHost,
        runtime,
        timeoutMs: SHUTDOWN_TIMEOUT_MS,
      });
      binding.close();
      return answers;
    },
    bind: (actions) => binding.bind(actions),
    runCommand: (command, args, context) =>
      runExtensionCommand(command, args, { context, guardOptions: createGuardOptions(command.extension) }),
  };
}

function pushToQueues(queues: readonly EventQueue[], event: { readonly type: string }): void {
  for (const queue of queues) queue.push(event);
}

function reportSafely(failure: ExtensionFailure, report: (failure: ExtensionFailure) => void): void {
  try {
    report(failure);
  } catch {
    // The host's report function failed: there is no other place to report to.
  }
}

interface FactoryOptions {
  readonly runtime: Pick<Runtime, "sleep">;
  readonly getActions: () => ExtensionActions;
  readonly errorReporterFor: (extension: string) => ReportError;
}

interface FactoryResults {
  /** In the order of the modules. */
  readonly registrations: readonly Registrations[];
  readonly notes: readonly string[];
}

/** Runs all extension functions in parallel. One that throws or hangs registers nothing; the others are not affected. */
async function runFactories(modules: readonly ExtensionModule[], options: FactoryOptions): Promise<FactoryResults> {
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
  const lists = { handlers: [], tools: [], commands: [], states: [], summarizers: [], rules: [] };
  const registrations: Registrations = { name, ...lists };
  let isOpen = true;
  const api = createExtensionApi(registrations, {
    isOpen: () => isOpen,
    getActions,
    reportError: errorReporterFor(name),
  });
  const timeout = { ms: timeouts.hook, sleep: runtime.sleep };
  const result = await runGuarded(async () => extension(api), { timeout });
  isOpen = false;
  switch (result.type) {
    case "done":
      return registrations;
    case "failed":
      return `extension ${name} was not loaded: ${result.why}`;
    case "late":
    case "aborted":
      return `extension ${name} was not loaded: its function did not return within ${timeouts.hook / 1000} s`;
  }
}

interface ExtensionApiOptions {
  /** Whether the extension may still register something. */
  readonly isOpen: () => boolean;
  /** Throws if there is no session. */
  readonly getActions: () => ExtensionActions;
  /** Called with the name of the failed action, and why it failed. */
  readonly reportError: ReportError;
}

type ActionName = Exclude<keyof ExtensionActions, "context">;

function createExtensionApi(
  registrations: Registrations,
  { isOpen, getActions, reportError }: ExtensionApiOptions,
): ExtensionApi {
  const register = <Item>(list: Item[], item: Item): void => {
    if (!isOpen()) throw new Error("too late to register: call this before the extension's function returns");
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
    registerSummarizer: (summarizer) => register(registrations.summarizers, summarizer),
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

interface AttributionOptions {
  readonly registrations: ValidRegistrations;
  readonly report: (failure: ExtensionFailure) => void;
}

/** Names the extension that failed or, if unknown, all that handle the event. A failure of no extension belongs to another host. */
function attributeFailure(
  { event, why, from: owner }: HookFailure,
  { registrations, report }: AttributionOptions,
): void {
  const candidates = registrations.list.filter(({ name, events }) =>
    owner === undefined ? events.some((each) => each === event) : name === owner,
  );
  const extension = candidates.map(({ name }) => name).join(" or ");
  if (extension !== "") reportSafely({ extension, event, why }, report);
}

const EVENTS_SENT_TO_HOOKS: ReadonlySet<string> = new Set(["turn_end", "message_end", "session_tree"]);

interface DispatchOptions {
  readonly registrations: ValidRegistrations;
  readonly host: HookHost;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly timeoutMs?: number;
}

async function dispatchEvent<Name extends HostEventName>(
  event: EventOf<Name> & { readonly type: Name },
  { registrations, ...options }: DispatchOptions,
): Promise<readonly ResultOf<Name>[]> {
  const hooks = registrations.handlers
    .filter((handler) => handler.event === event.type)
    .map(toHook<typeof event, unknown>);
  const read: (result: unknown) => ResultOf<Name> | null = hostAnswerParsers[event.type];
  const isFinal = (answer: ResultOf<Name>): boolean => isFinalAnswer(event, answer);
  const { answers } = await runHooks(hooks, () => event, { ...options, read, isFinal });
  return answers;
}

/** Delivers queued events before the session ends, and stops waiting after a timeout. */
async function drainQueues(queues: readonly EventQueue[], { sleep }: Pick<Runtime, "sleep">): Promise<void> {
  const drainAll = async (): Promise<unknown> => Promise.all(queues.map((queue) => queue.drain()));
  await runGuarded(drainAll, { timeout: { ms: DRAIN_TIMEOUT_MS, sleep } });
}

const DRAIN_TIMEOUT_MS = 1_000;
/** Per handler: enough to clean up, and short for a user who waits for the program to end. */
const SHUTDOWN_TIMEOUT_MS = 5_000;

async function runExtensionCommand(
  command: CommandRegistration,
  args: string,
  { context, guardOptions }: { readonly context: CommandContext; readonly guardOptions: GuardOptions },
): Promise<CommandRunResult> {
  // Without a timeout: the user waits for the command, and sees its questions.
  const result = await runGuarded(() => command.run(args, createGuardedCommandContext(context, guardOptions)));
  if (result.type === "done") {
    if (typeof result.value === "string") return { type: "ran", text: result.value };
    if (result.value !== undefined && result.value !== null)
      guardOptions.reportError(`/${command.name}`, "run must return a string or undefined");
    return { type: "ran" };
  }
  const why = result.type === "failed" ? result.why : "stopped";
  guardOptions.reportError(`/${command.name}`, why);
  return { type: "failed", why: `/${command.name} from extension ${command.extension} failed: ${why}` };
}
