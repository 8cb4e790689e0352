/** Accepts or refuses what extensions register. A name belongs to the first that takes it; what is invalid is left out with a note. */

import type { Runtime, Summarizer } from "@pith/context";
import { parseDetails } from "@pith/context/host";
import type { StateSection } from "../agent-options.ts";
import type { Intent, Tool } from "../tool.ts";
import type { ExtensionCommand, ExtensionContext, ExtensionRules } from "./api.ts";
import type { EventHandler } from "./dispatch.ts";
import { extensionEventTable } from "./event-docs.ts";
import type { ExtensionEventName } from "./events.ts";
import type { CommandRegistration, ExtensionInfo, ReportError } from "./extensions.ts";
import { parseSummarizer } from "./parse-summarizer.ts";
import type { Registrations } from "./register.ts";

export function parseCommand(
  { name, command }: { readonly name: unknown; readonly command: unknown },
  extension: string,
): CommandRegistration {
  const { description, takes, run } = Object(command) as Partial<ExtensionCommand>;
  if (typeof name !== "string" || !COMMAND_NAME.test(name))
    throw new Error("its name must be of small letters, digits and dashes, and begin with a letter");
  if (typeof description !== "string") throw new Error("it has no description");
  if (typeof run !== "function") throw new Error("it has no function run");
  return {
    name,
    extension,
    description,
    ...(typeof takes === "string" && { takes }),
    run: async (args, context) => run.call(command, args, context),
  };
}

const COMMAND_NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** What it throws is passed on, so that what it said before still holds; it is told once, until it speaks again. */
export function parseState(
  { name, text }: { readonly name: unknown; readonly text: unknown },
  reportError: ReportError,
): StateSection {
  if (typeof name !== "string" || !STATE_NAME.test(name))
    throw new Error("its name must be of letters, digits, spaces and dashes, and begin with a letter");
  if (typeof text !== "function") throw new Error("it has no function that gives its text");
  let isReported = false;
  return {
    name,
    text: () => {
      try {
        const value: unknown = text();
        if (typeof value !== "string" && value !== null && value !== undefined)
          throw new Error("what it says is no text");
        isReported = false;
        return value ?? null;
      } catch (error) {
        if (!isReported) reportError(`state ${name}`, error instanceof Error ? error.message : String(error));
        isReported = true;
        throw error;
      }
    },
  };
}

const STATE_NAME = /^[A-Za-z][A-Za-z0-9 _-]{0,63}$/;

export function parseRules(value: unknown): Required<ExtensionRules> {
  const { allow, ask, deny } = Object(value) as Readonly<Record<string, unknown>>;
  return { allow: parseStrings(allow), ask: parseStrings(ask), deny: parseStrings(deny) };
}

function parseStrings(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
    throw new Error("its rules are no list of texts");
  return [...value];
}

/** Throws where it is none; whoever registered it is told. Its arguments are copies; what it throws or returns is checked by the loop. */
export function parseTool(value: unknown, reportError: ReportError): Tool {
  const fields = Object(value) as Partial<Tool>;
  const { name, description, isIdempotent, intent, ongoing, run } = fields;
  if (typeof name !== "string" || !TOOL_NAME.test(name))
    throw new Error("its name must be of letters, digits, _ and -, at most 64, and begin with a letter");
  if (typeof description !== "string" || description.trim() === "") throw new Error("it has no description");
  if (typeof run !== "function") throw new Error("it has no function run");
  const parameters = parseDetails(fields.parameters);
  if (parameters?.type !== "object") throw new Error(`its parameters must be a JSON schema of "type": "object"`);
  return {
    ...{ name, description, parameters, isIdempotent: isIdempotent === true },
    ...(typeof intent === "function" && {
      intent: (args) => parseIntent(() => intent.call(value, structuredClone(args))),
    }),
    ...(typeof ongoing === "function" && {
      ongoing: () => readOngoing(() => ongoing.call(value), { name, reportError }),
    }),
    run: (call) => run.call(value, { ...call, arguments: structuredClone(call.arguments) }),
  };
}

const TOOL_NAME = /^[A-Za-z_][\w-]{0,63}$/;

// Thrown where it is none: then the call may be anything, and is permitted as such.
function parseIntent(getIntent: () => unknown): Intent {
  const intent = Object(getIntent()) as Readonly<Record<string, unknown>>;
  const { type, paths, command, url, name } = intent;
  const hasPaths = Array.isArray(paths) && paths.every((path) => typeof path === "string");
  if ((type === "look" || type === "change") && hasPaths) return { type, paths };
  if (type === "command" && typeof command === "string") return { type, command, isConfined: false };
  if (type === "fetch" && typeof url === "string") return { type, url };
  if (type === "named" && typeof name === "string") return { type, name };
  if (type === "nothing") return { type };
  throw new Error("its intent is none that is known");
}

interface OngoingOptions {
  readonly name: string;
  readonly reportError: ReportError;
}

function readOngoing(getText: () => unknown, { name, reportError }: OngoingOptions): string | null {
  try {
    const text = getText();
    if (typeof text === "string" || text === null || text === undefined) return text ?? null;
    reportError(`tool ${name}`, "what goes on is no text");
  } catch (error) {
    reportError(`tool ${name}`, String(error));
  }
  return null;
}

export interface ValidationOptions {
  readonly runtime: Pick<Runtime, "sleep">;
  readonly builtInTools: readonly string[];
  readonly builtInCommands: readonly string[];
  readonly errorReporterFor: (extension: string) => ReportError;
  readonly contextFor: (extension: string) => ExtensionContext;
}

export interface ValidRegistrations {
  readonly list: ExtensionInfo[];
  readonly notes: string[];
  readonly handlers: EventHandler[];
  readonly tools: Tool[];
  readonly commands: CommandRegistration[];
  readonly stateSections: StateSection[];
  readonly summarizers: Summarizer[];
  readonly rules: { readonly allow: string[]; readonly ask: string[]; readonly deny: string[] };
}

export function validateRegistrations(
  registrations: readonly Registrations[],
  options: ValidationOptions,
): ValidRegistrations {
  const valid: ValidRegistrations = {
    ...{ list: [], notes: [], handlers: [], tools: [], commands: [], stateSections: [], summarizers: [] },
    rules: { allow: [], ask: [], deny: [] },
  };
  const takenNames: TakenNames = {
    tool: new Set(options.builtInTools),
    command: new Set(options.builtInCommands),
    state: new Set(),
  };
  for (const each of registrations) validateExtension(each, { ...options, valid, takenNames });
  return valid;
}

type TakenNames = Readonly<Record<"tool" | "command" | "state", Set<string>>>;

interface ValidationState extends ValidationOptions {
  readonly valid: ValidRegistrations;
  readonly takenNames: TakenNames;
}

function validateExtension(
  registrations: Registrations,
  { valid, takenNames, runtime, errorReporterFor, contextFor }: ValidationState,
): void {
  const { name: extension } = registrations;
  const reportError = errorReporterFor(extension);
  const validate = createValidator(extension, { notes: valid.notes, takenNames });
  const handlers = registrations.handlers.flatMap((each) =>
    validate("listener", toLabel(each.event), () => parseHandler(each, { extension, context: contextFor(extension) })),
  );
  const tools = registrations.tools.flatMap((each) =>
    validate("tool", toLabel(readName(each)), () => parseTool(each, reportError)),
  );
  const commands = registrations.commands.flatMap((each) =>
    validate("command", toLabel(each.name), () => parseCommand(each, extension)),
  );
  const stateSections = registrations.states.flatMap((each) =>
    validate("state", toLabel(each.name), () => parseState(each, reportError)),
  );
  const summarizers = registrations.summarizers.flatMap((each) =>
    validate("writer", "", () => parseSummarizer(each, runtime)),
  );
  const rules = registrations.rules.flatMap((each) => validate("rules", "", () => parseRules(each)));
  valid.handlers.push(...handlers);
  valid.tools.push(...tools);
  valid.commands.push(...commands);
  valid.stateSections.push(...stateSections);
  valid.summarizers.push(...summarizers);
  for (const kind of ["allow", "ask", "deny"] as const) valid.rules[kind].push(...rules.flatMap((each) => each[kind]));
  valid.list.push({
    name: extension,
    events: [...new Set(handlers.map(({ event }) => event))],
    tools: tools.map(({ name }) => name),
    commands: commands.map(({ name }) => name),
    states: stateSections.map(({ name }) => name),
    rules: rules.flatMap(formatRules),
    writes: summarizers.length > 0,
  });
}

type RegistrationKind = keyof TakenNames | "listener" | "writer" | "rules";

/** At most one: none where it does not count, and then a note says why. */
function createValidator(
  extension: string,
  { notes, takenNames }: { readonly notes: string[]; readonly takenNames: TakenNames },
) {
  return <Thing>(kind: RegistrationKind, name: string, parse: () => Thing): readonly Thing[] => {
    try {
      const item = parse();
      const namesOfKind = kind === "tool" || kind === "command" || kind === "state" ? takenNames[kind] : null;
      if (namesOfKind?.has(name)) throw new Error("another one has that name already");
      namesOfKind?.add(name);
      return [item];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      notes.push(`extension ${extension}: its ${name === "" ? kind : `${kind} ${name}`} does not count: ${why}`);
      return [];
    }
  };
}

interface HandlerOptions {
  readonly extension: string;
  readonly context: ExtensionContext;
}

function parseHandler(
  { event, handler }: Registrations["handlers"][number],
  { extension, context }: HandlerOptions,
): EventHandler {
  if (typeof event !== "string" || !Object.hasOwn(extensionEventTable, event))
    throw new Error("there is no event of that name");
  if (typeof handler !== "function") throw new Error("it is no function");
  return { event: event as ExtensionEventName, extension, handle: (payload) => handler(payload, context) };
}

function readName(value: unknown): unknown {
  return (Object(value) as { readonly name?: unknown }).name;
}

function toLabel(name: unknown): string {
  return typeof name === "string" ? name.slice(0, 80) : "";
}

function formatRules({ allow, ask, deny }: Required<ExtensionRules>): readonly string[] {
  return [
    ...allow.map((rule) => `allow ${rule}`),
    ...ask.map((rule) => `ask ${rule}`),
    ...deny.map((rule) => `deny ${rule}`),
  ];
}
