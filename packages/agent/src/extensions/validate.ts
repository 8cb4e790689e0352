/** Accepts or refuses what extensions register. A name belongs to the first that takes it; what is invalid is left out with a note. */

import type { Runtime, Summarizer } from "@pith/context";
import { parseDetails } from "@pith/context/host";
import type { StateSection } from "../agent-options.ts";
import type { Intent, Tool } from "../tool.ts";
import type { ExtensionCommand, ExtensionContext, ExtensionRules } from "./api.ts";
import type { Handling } from "./dispatch.ts";
import { extensionEventTable } from "./event-docs.ts";
import type { ExtensionEventName } from "./events.ts";
import type { Complain, LoadedExtension, NamedCommand } from "./extensions.ts";
import type { Registered } from "./register.ts";
import { writerIn } from "./summary-writer.ts";

export function commandIn(
  { name, command }: { readonly name: unknown; readonly command: unknown },
  from: string,
): NamedCommand {
  const { description, takes, run } = Object(command) as Partial<ExtensionCommand>;
  if (typeof name !== "string" || !COMMAND_NAME.test(name))
    throw new Error("its name must be of small letters, digits and dashes, and begin with a letter");
  if (typeof description !== "string") throw new Error("it has no description");
  if (typeof run !== "function") throw new Error("it has no function run");
  return {
    name,
    from,
    description,
    ...(typeof takes === "string" && { takes }),
    run: async (words, context) => run.call(command, words, context),
  };
}

const COMMAND_NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** What it throws is passed on, so that what it said before still holds; it is told once, until it speaks again. */
export function stateIn(
  { name, text }: { readonly name: unknown; readonly text: unknown },
  complain: Complain,
): StateSection {
  if (typeof name !== "string" || !STATE_NAME.test(name))
    throw new Error("its name must be of letters, digits, spaces and dashes, and begin with a letter");
  if (typeof text !== "function") throw new Error("it has no function that gives its text");
  let isTold = false;
  return {
    name,
    text: () => {
      try {
        const said: unknown = text();
        if (typeof said !== "string" && said !== null && said !== undefined) throw new Error("what it says is no text");
        isTold = false;
        return said ?? null;
      } catch (error) {
        if (!isTold) complain(`state ${name}`, error instanceof Error ? error.message : String(error));
        isTold = true;
        throw error;
      }
    },
  };
}

const STATE_NAME = /^[A-Za-z][A-Za-z0-9 _-]{0,63}$/;

export function rulesIn(value: unknown): Required<ExtensionRules> {
  const { allow, ask, deny } = Object(value) as Readonly<Record<string, unknown>>;
  return { allow: textsIn(allow), ask: textsIn(ask), deny: textsIn(deny) };
}

function textsIn(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
    throw new Error("its rules are no list of texts");
  return [...value];
}

/** Throws where it is none; whoever registered it is told. Its arguments are copies; what it throws or returns is checked by the loop. */
export function toolIn(value: unknown, complain: Complain): Tool {
  const given = Object(value) as Partial<Tool>;
  const { name, description, isIdempotent, intent, ongoing, run } = given;
  if (typeof name !== "string" || !NAME.test(name))
    throw new Error("its name must be of letters, digits, _ and -, at most 64, and begin with a letter");
  if (typeof description !== "string" || description.trim() === "") throw new Error("it has no description");
  if (typeof run !== "function") throw new Error("it has no function run");
  const parameters = parseDetails(given.parameters);
  if (parameters?.type !== "object") throw new Error(`its parameters must be a JSON schema of "type": "object"`);
  return {
    ...{ name, description, parameters, isIdempotent: isIdempotent === true },
    ...(typeof intent === "function" && {
      intent: (asked) => intentOf(() => intent.call(value, structuredClone(asked))),
    }),
    ...(typeof ongoing === "function" && { ongoing: () => ongoingOf(() => ongoing.call(value), { name, complain }) }),
    run: (call) => run.call(value, { ...call, arguments: structuredClone(call.arguments) }),
  };
}

const NAME = /^[A-Za-z_][\w-]{0,63}$/;

// Thrown where it is none: then the call may be anything, and is permitted as such.
function intentOf(said: () => unknown): Intent {
  const intent = Object(said()) as Readonly<Record<string, unknown>>;
  const { type, paths, command, url, name } = intent;
  const isPaths = Array.isArray(paths) && paths.every((path) => typeof path === "string");
  if ((type === "look" || type === "change") && isPaths) return { type, paths };
  if (type === "command" && typeof command === "string") return { type, command, isConfined: false };
  if (type === "fetch" && typeof url === "string") return { type, url };
  if (type === "named" && typeof name === "string") return { type, name };
  if (type === "nothing") return { type };
  throw new Error("its intent is none that is known");
}

interface OngoingParts {
  readonly name: string;
  readonly complain: Complain;
}

function ongoingOf(said: () => unknown, { name, complain }: OngoingParts): string | null {
  try {
    const text = said();
    if (typeof text === "string" || text === null || text === undefined) return text ?? null;
    complain(`tool ${name}`, "what goes on is no text");
  } catch (error) {
    complain(`tool ${name}`, String(error));
  }
  return null;
}

export interface AdmitParts {
  readonly ports: Pick<Runtime, "sleep">;
  readonly ownTools: readonly string[];
  readonly ownCommands: readonly string[];
  readonly complainer: (extension: string) => Complain;
  readonly context: (extension: string) => ExtensionContext;
}

export interface Admitted {
  readonly list: LoadedExtension[];
  readonly notes: string[];
  readonly handlings: Handling[];
  readonly tools: Tool[];
  readonly commands: NamedCommand[];
  readonly states: StateSection[];
  readonly writers: Summarizer[];
  readonly rules: { readonly allow: string[]; readonly ask: string[]; readonly deny: string[] };
}

export function admit(registered: readonly Registered[], parts: AdmitParts): Admitted {
  const admitted: Admitted = {
    ...{ list: [], notes: [], handlings: [], tools: [], commands: [], states: [], writers: [] },
    rules: { allow: [], ask: [], deny: [] },
  };
  const names: Names = {
    tool: new Set(parts.ownTools),
    command: new Set(parts.ownCommands),
    state: new Set(),
  };
  for (const each of registered) admitOne(each, { ...parts, admitted, names });
  return admitted;
}

type Names = Readonly<Record<"tool" | "command" | "state", Set<string>>>;

interface Admitting extends AdmitParts {
  readonly admitted: Admitted;
  readonly names: Names;
}

function admitOne(registered: Registered, { admitted, names, ports, complainer, context }: Admitting): void {
  const { name: from } = registered;
  const complain = complainer(from);
  const judged = judging(from, { notes: admitted.notes, names });
  const handlings = registered.handlers.flatMap((each) =>
    judged("listener", labelOf(each.event), () => handlingIn(each, { from, context: context(from) })),
  );
  const tools = registered.tools.flatMap((each) => judged("tool", labelOf(nameIn(each)), () => toolIn(each, complain)));
  const commands = registered.commands.flatMap((each) =>
    judged("command", labelOf(each.name), () => commandIn(each, from)),
  );
  const states = registered.states.flatMap((each) =>
    judged("state", labelOf(each.name), () => stateIn(each, complain)),
  );
  const writers = registered.writers.flatMap((each) => judged("writer", "", () => writerIn(each, ports)));
  const rules = registered.rules.flatMap((each) => judged("rules", "", () => rulesIn(each)));
  admitted.handlings.push(...handlings);
  admitted.tools.push(...tools);
  admitted.commands.push(...commands);
  admitted.states.push(...states);
  admitted.writers.push(...writers);
  for (const kind of ["allow", "ask", "deny"] as const)
    admitted.rules[kind].push(...rules.flatMap((each) => each[kind]));
  admitted.list.push({
    name: from,
    events: [...new Set(handlings.map(({ event }) => event))],
    tools: tools.map(({ name }) => name),
    commands: commands.map(({ name }) => name),
    states: states.map(({ name }) => name),
    rules: rules.flatMap(told),
    writes: writers.length > 0,
  });
}

type Kind = keyof Names | "listener" | "writer" | "rules";

/** At most one: none where it does not count, and then a note says why. */
function judging(from: string, { notes, names }: { readonly notes: string[]; readonly names: Names }) {
  return <Thing>(kind: Kind, name: string, read: () => Thing): readonly Thing[] => {
    try {
      const thing = read();
      const taken = kind === "tool" || kind === "command" || kind === "state" ? names[kind] : null;
      if (taken?.has(name)) throw new Error("another one has that name already");
      taken?.add(name);
      return [thing];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      notes.push(`extension ${from}: its ${name === "" ? kind : `${kind} ${name}`} does not count: ${why}`);
      return [];
    }
  };
}

interface Listening {
  readonly from: string;
  readonly context: ExtensionContext;
}

function handlingIn({ event, handler }: Registered["handlers"][number], { from, context }: Listening): Handling {
  if (typeof event !== "string" || !Object.hasOwn(extensionEventTable, event))
    throw new Error("there is no event of that name");
  if (typeof handler !== "function") throw new Error("it is no function");
  return { event: event as ExtensionEventName, from, call: (told) => handler(told, context) };
}

function nameIn(value: unknown): unknown {
  return (Object(value) as { readonly name?: unknown }).name;
}

function labelOf(name: unknown): string {
  return typeof name === "string" ? name.slice(0, 80) : "";
}

function told({ allow, ask, deny }: Required<ExtensionRules>): readonly string[] {
  return [
    ...allow.map((rule) => `allow ${rule}`),
    ...ask.map((rule) => `ask ${rule}`),
    ...deny.map((rule) => `deny ${rule}`),
  ];
}
