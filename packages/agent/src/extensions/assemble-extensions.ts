/** Runs extensions, validates what they register, and connects it to a session. No extension can disturb the others. */

import type { Runtime } from "@pith/context";
import { type HookFailure, type HookHost, runGuarded, runHooks } from "@pith/context/host";
import { type CommandContext, headlessUi } from "./api.ts";
import {
  createGuardedCommandContext,
  createGuardedContext,
  type GuardOptions,
  type InitialContext,
  PromptTracker,
  SessionBinding,
} from "./context.ts";
import { createHooks, EventQueue, hostAnswerParsers, isFinalAnswer, toHook } from "./dispatch.ts";
import type { EventOf, ResultOf } from "./events.ts";
import type {
  CommandRegistration,
  CommandRunResult,
  ExtensionFailure,
  ExtensionModule,
  Extensions,
  HostEventName,
} from "./extensions.ts";
import { runFactories } from "./register.ts";
import { type ValidationOptions, type ValidRegistrations, validateRegistrations } from "./validate.ts";

export interface CreateExtensionsOptions extends Pick<ValidationOptions, "builtInTools" | "builtInCommands"> {
  readonly runtime: Pick<Runtime, "sleep">;
  /** Told whenever one throws, hangs or answers nonsense. */
  readonly report: (failure: ExtensionFailure) => void;
  /** What they see of the place before there is a session; nobody is there, unless said. */
  readonly initialContext?: InitialContext;
}

/** Runs the functions of all extensions, and puts together what counts of it. It does not fail: what went wrong is in its notes. */
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
  // Two may have one name; each of their listeners is told once.
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
    // EXT6: what is asked through hooks is not told a second time.
    onEvent: (event) => void (EVENTS_SENT_TO_HOOKS.has(event.type) || pushToQueues(queues, event)),
    dispatch: async <Name extends HostEventName>(event: EventOf<Name> & { readonly type: Name }) => {
      if (event.type !== "session_shutdown") return dispatchEvent<Name>(event, { registrations, host, runtime });
      await drainQueues(queues, runtime);
      for (const queue of queues) queue.close();
      // Whoever leaves waits for nobody's answer any more.
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

const EVENTS_SENT_TO_HOOKS: ReadonlySet<string> = new Set(["turn_end", "message_end", "session_tree"]);

interface DispatchOptions {
  readonly registrations: ValidRegistrations;
  readonly host: HookHost;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly timeoutMs?: number;
}

async function dispatchEvent<Name extends HostEventName>(
  event: EventOf<Name> & { readonly type: Name },
  { registrations, runtime, ...options }: DispatchOptions,
): Promise<readonly ResultOf<Name>[]> {
  const hooks = registrations.handlers
    .filter((handler) => handler.event === event.type)
    .map(toHook<typeof event, unknown>);
  const read: (result: unknown) => ResultOf<Name> | null = hostAnswerParsers[event.type];
  const endsDispatch = (answer: ResultOf<Name>): boolean => isFinalAnswer(event, answer);
  const { answers } = await runHooks(hooks, () => event, { ...options, runtime: runtime, read, isFinal: endsDispatch });
  return answers;
}

/** What they were told last is heard before the session is left; who takes longer is not waited for. */
async function drainQueues(queues: readonly EventQueue[], { sleep }: Pick<Runtime, "sleep">): Promise<void> {
  const drainAll = async (): Promise<unknown> => Promise.all(queues.map((queue) => queue.drain()));
  await runGuarded(drainAll, { timeout: { ms: DRAIN_TIMEOUT_MS, sleep } });
}

const DRAIN_TIMEOUT_MS = 1_000;
/** For each: enough to put things in order, and little for a person who wants to go. */
const SHUTDOWN_TIMEOUT_MS = 5_000;

interface AttributionOptions {
  readonly registrations: ValidRegistrations;
  readonly report: (failure: ExtensionFailure) => void;
}

/** Who it was, where that is known, else all that it may have been; what none of them did is another host's. */
function attributeFailure(
  { event, why, from: owner }: HookFailure,
  { registrations, report }: AttributionOptions,
): void {
  const listeners = registrations.list.filter(({ name, events }) =>
    owner === undefined ? events.some((each) => each === event) : name === owner,
  );
  const extension = listeners.map(({ name }) => name).join(" or ");
  if (extension !== "") reportSafely({ extension, event, why }, report);
}

function reportSafely(failure: ExtensionFailure, report: (failure: ExtensionFailure) => void): void {
  try {
    report(failure);
  } catch {
    // Whoever cannot even be told of a failure is not told.
  }
}

interface CommandRunOptions {
  readonly context: CommandContext;
  readonly guardOptions: GuardOptions;
}

async function runExtensionCommand(
  command: CommandRegistration,
  args: string,
  { context, guardOptions }: CommandRunOptions,
): Promise<CommandRunResult> {
  // However long: who runs a command waits for it, and can see what it asks.
  const result = await runGuarded(() => command.run(args, createGuardedCommandContext(context, guardOptions)));
  if (result.type === "done") {
    if (typeof result.value === "string") return { type: "ran", text: result.value };
    if (result.value !== undefined && result.value !== null)
      guardOptions.reportError(`/${command.name}`, "what it answers is no text");
    return { type: "ran" };
  }
  const why = result.type === "failed" ? result.why : "it was stopped";
  guardOptions.reportError(`/${command.name}`, why);
  return { type: "failed", why: `/${command.name} of extension ${command.extension} failed: ${why}` };
}
