/** What of all that was registered counts: names are taken once, by whoever comes first, and what is none of its kind is left out with a note. */

import type { Ports, Writer } from "@pith/context";
import type { StateSection } from "../../prompt/state-sections.ts";
import type { Tool } from "../../tool.ts";
import type { ExtensionContext, ExtensionRules } from "../extension.ts";
import type { ExtensionEventName } from "../extension-events.ts";
import type { LoadedExtension, NamedCommand } from "../extensions.ts";
import { extensionEventTable } from "../hook-table.ts";
import type { Registered } from "../registering/registered.ts";
import type { Handling } from "../telling/handling.ts";
import type { Complain } from "./complain.ts";
import { commandIn, rulesIn, stateIn } from "./small-things.ts";
import { toolIn } from "./tool-in.ts";
import { writerIn } from "./writer-in.ts";

export interface AdmitParts {
  readonly ports: Pick<Ports, "sleep">;
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
  readonly writers: Writer[];
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
