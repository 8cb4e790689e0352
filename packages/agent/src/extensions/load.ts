/** Runs extensions, validates what they register, and connects it to a session. No extension can disturb the others. */

import type { Runtime } from "@pith/context";
import { type HookFailure, type HookHost, runGuarded, runHooks } from "@pith/context/host";
import { type CommandContext, nobodyThere } from "./api.ts";
import {
  Binding,
  type EarlySight,
  type GuardParts,
  guardedCommandContext,
  guardedContext,
  Prompts,
} from "./context.ts";
import { hookOf, hooksOf, hostAnswers, isFinal, ToldQueue } from "./dispatch.ts";
import type { EventOf, ResultOf } from "./events.ts";
import type {
  CommandRan,
  ExtensionFailure,
  Extensions,
  HostAsked,
  NamedCommand,
  NamedExtension,
} from "./extensions.ts";
import { runFactories } from "./register.ts";
import { type AdmitParts, type Admitted, admit } from "./validate.ts";

export interface AssemblyParts extends Pick<AdmitParts, "ownTools" | "ownCommands"> {
  readonly ports: Pick<Runtime, "sleep">;
  /** Told whenever one throws, hangs or answers nonsense. */
  readonly report: (failure: ExtensionFailure) => void;
  /** What they see of the place before there is a session; nobody is there, unless said. */
  readonly early?: EarlySight;
}

/** Runs the functions of all extensions, and puts together what counts of it. It does not fail: what went wrong is in its notes. */
export async function putTogether(named: readonly NamedExtension[], parts: AssemblyParts): Promise<Extensions> {
  const { ports, report, early = { ui: nobodyThere, hasUI: false, cwd: "" } } = parts;
  const binding = new Binding();
  const queues: ToldQueue[] = [];
  const prompts = new Prompts((event) => tellAll(queues, event));
  const complainer = (extension: string) => (event: string, why: string) => reported({ extension, event, why }, report);
  const guard = (extension: string): GuardParts => ({ binding, prompts, early, complain: complainer(extension) });
  const ran = await runFactories(named, { ports, complainer, acts: () => binding.acts() });
  const admitted = admit(ran.registered, { ...parts, complainer, context: (from) => guardedContext(guard(from)) });
  const isWaitingForUser = (): boolean => prompts.isOpen;
  // Two may have one name; each of their listeners is told once.
  for (const name of new Set(admitted.list.map((each) => each.name))) {
    const host = { isWaitingForUser, report: ({ event, why }: HookFailure) => complainer(name)(event, why) };
    queues.push(new ToldQueue({ handlings: admitted.handlings.filter(({ from }) => from === name), host, ports }));
  }
  const host: HookHost = { isWaitingForUser, report: (failure) => blamed(failure, { admitted, report }) };
  return {
    ...admitted,
    notes: [...ran.notes, ...admitted.notes],
    hooks: hooksOf(admitted.handlings, host),
    // EXT6: what is asked through hooks is not told a second time.
    listen: (event) => void (HOOKED_TOO.has(event.type) || tellAll(queues, event)),
    asked: async <Name extends HostAsked>(event: EventOf<Name> & { readonly type: Name }) => {
      if (event.type !== "session_shutdown") return answered<Name>(event, { admitted, host, ports });
      await soon(queues, ports);
      for (const queue of queues) queue.close();
      // Whoever leaves waits for nobody's answer any more.
      const hurried = { ...host, isWaitingForUser: () => false };
      const answers = await answered<Name>(event, { admitted, host: hurried, ports, timeoutMs: LEAVING_MS });
      binding.leave();
      return answers;
    },
    bind: (acts) => binding.bind(acts),
    run: (command, words, context) => ranCommand(command, words, { context, guard: guard(command.from) }),
  };
}

function tellAll(queues: readonly ToldQueue[], event: { readonly type: string }): void {
  for (const queue of queues) queue.put(event);
}

const HOOKED_TOO: ReadonlySet<string> = new Set(["turn_end", "message_end", "session_tree"]);

interface AnswerParts {
  readonly admitted: Admitted;
  readonly host: HookHost;
  readonly ports: Pick<Runtime, "sleep">;
  readonly timeoutMs?: number;
}

async function answered<Name extends HostAsked>(
  event: EventOf<Name> & { readonly type: Name },
  { admitted, ports, ...asking }: AnswerParts,
): Promise<readonly ResultOf<Name>[]> {
  const hooks = admitted.handlings
    .filter((handling) => handling.event === event.type)
    .map(hookOf<typeof event, unknown>);
  const read: (result: unknown) => ResultOf<Name> | null = hostAnswers[event.type];
  const ends = (answer: ResultOf<Name>): boolean => isFinal(event, answer);
  const { answers } = await runHooks(hooks, () => event, { ...asking, runtime: ports, read, isFinal: ends });
  return answers;
}

/** What they were told last is heard before the session is left; who takes longer is not waited for. */
async function soon(queues: readonly ToldQueue[], { sleep }: Pick<Runtime, "sleep">): Promise<void> {
  const all = async (): Promise<unknown> => Promise.all(queues.map((queue) => queue.settled()));
  await runGuarded(all, { timeout: { ms: LAST_WORDS_MS, sleep } });
}

const LAST_WORDS_MS = 1_000;
/** For each: enough to put things in order, and little for a person who wants to go. */
const LEAVING_MS = 5_000;

interface Blaming {
  readonly admitted: Admitted;
  readonly report: (failure: ExtensionFailure) => void;
}

/** Who it was, where that is known, else all that it may have been; what none of them did is another host's. */
function blamed({ event, why, from }: HookFailure, { admitted, report }: Blaming): void {
  const listeners = admitted.list.filter(({ name, events }) =>
    from === undefined ? events.some((each) => each === event) : name === from,
  );
  const extension = listeners.map(({ name }) => name).join(" or ");
  if (extension !== "") reported({ extension, event, why }, report);
}

function reported(failure: ExtensionFailure, report: (failure: ExtensionFailure) => void): void {
  try {
    report(failure);
  } catch {
    // Whoever cannot even be told of a failure is not told.
  }
}

interface CommandParts {
  readonly context: CommandContext;
  readonly guard: GuardParts;
}

async function ranCommand(command: NamedCommand, words: string, { context, guard }: CommandParts): Promise<CommandRan> {
  // However long: who runs a command waits for it, and can see what it asks.
  const act = await runGuarded(() => command.run(words, guardedCommandContext(context, guard)));
  if (act.type === "done") {
    if (typeof act.value === "string") return { type: "ran", text: act.value };
    if (act.value !== undefined && act.value !== null) guard.complain(`/${command.name}`, "what it answers is no text");
    return { type: "ran" };
  }
  const why = act.type === "failed" ? act.why : "it was stopped";
  guard.complain(`/${command.name}`, why);
  return { type: "failed", why: `/${command.name} of extension ${command.from} failed: ${why}` };
}
