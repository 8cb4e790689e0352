/** Validates what extensions register. A name belongs to the first extension that registers it; an invalid item is ignored with a note. */

import type {
  CompactionPlan,
  Finding,
  Runtime,
  SummarizeOptions,
  Summarizer,
  SummarizerResult,
  SummaryCandidate,
} from "@pith/context";
import { createSummaryTimeouts, parseDetails, parseUsage, runGuarded } from "@pith/context/host";
import type { StateSection } from "../prompt/state-sections.ts";
import type { Intent, Tool } from "../tool.ts";
import type {
  CommandRegistration,
  ExtensionCommand,
  ExtensionContext,
  ExtensionInfo,
  ExtensionRules,
  ReportError,
} from "./api.ts";
import type { EventHandler } from "./dispatch.ts";
import { type ExtensionEventName, extensionEventTable } from "./events.ts";

/** What one extension registered, before validation. An extension may be JavaScript, so any value may have any type. */
export interface Registrations {
  readonly name: string;
  readonly handlers: { readonly event: unknown; readonly handler: unknown }[];
  readonly tools: unknown[];
  readonly commands: { readonly name: unknown; readonly command: unknown }[];
  readonly states: { readonly name: unknown; readonly text: unknown }[];
  readonly summarizers: unknown[];
  readonly rules: unknown[];
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
    validate("handler", toLabel(each.event), () => parseHandler(each, { extension, context: contextFor(extension) })),
  );
  const tools = registrations.tools.flatMap((each) =>
    validate("tool", toLabel((Object(each) as { readonly name?: unknown }).name), () => parseTool(each, reportError)),
  );
  const commands = registrations.commands.flatMap((each) =>
    validate("command", toLabel(each.name), () => parseCommand(each, extension)),
  );
  const stateSections = registrations.states.flatMap((each) =>
    validate("state", toLabel(each.name), () => parseState(each, reportError)),
  );
  const summarizers = registrations.summarizers.flatMap((each) =>
    validate("summarizer", "", () => parseSummarizer(each, runtime)),
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

type RegistrationKind = keyof TakenNames | "handler" | "summarizer" | "rules";

/** The validator returns a list of one item, or an empty list and adds a note. */
function createValidator(
  extension: string,
  { notes, takenNames }: { readonly notes: string[]; readonly takenNames: TakenNames },
) {
  return <Item>(kind: RegistrationKind, name: string, parse: () => Item): readonly Item[] => {
    try {
      const item = parse();
      const namesOfKind = kind === "tool" || kind === "command" || kind === "state" ? takenNames[kind] : null;
      if (namesOfKind?.has(name)) throw new Error("the name is already in use");
      namesOfKind?.add(name);
      return [item];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      notes.push(`extension ${extension}: ${name === "" ? kind : `${kind} ${name}`} ignored: ${why}`);
      return [];
    }
  };
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

function parseHandler(
  { event, handler }: Registrations["handlers"][number],
  { extension, context }: { readonly extension: string; readonly context: ExtensionContext },
): EventHandler {
  if (typeof event !== "string" || !Object.hasOwn(extensionEventTable, event)) throw new Error("unknown event");
  if (typeof handler !== "function") throw new Error("the handler must be a function");
  return { event: event as ExtensionEventName, extension, handle: (payload) => handler(payload, context) };
}

/** The tool gets copies of its arguments. The loop validates what it returns or throws. */
function parseTool(value: unknown, reportError: ReportError): Tool {
  const fields = Object(value) as Partial<Tool>;
  const { name, description, isIdempotent, isConcurrent, intent, ongoing, run } = fields;
  if (typeof name !== "string" || !TOOL_NAME.test(name))
    throw new Error("the name must be at most 64 letters, digits, _ and -, and begin with a letter or _");
  if (typeof description !== "string" || description.trim() === "") throw new Error("description is missing");
  if (typeof run !== "function") throw new Error("run must be a function");
  const parameters = parseDetails(fields.parameters);
  if (parameters?.type !== "object") throw new Error(`parameters must be a JSON schema of "type": "object"`);
  return {
    ...{ name, description, parameters, isIdempotent: isIdempotent === true },
    ...(isConcurrent === true && { isConcurrent }),
    ...(typeof isConcurrent === "function" && {
      isConcurrent: (args) => isConcurrent.call(value, structuredClone(args)),
    }),
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

// If this throws, the call has no known intent and needs permission for anything.
function parseIntent(getIntent: () => unknown): Intent {
  const intent = Object(getIntent()) as Readonly<Record<string, unknown>>;
  const { type, paths, command, url, name } = intent;
  const hasPaths = Array.isArray(paths) && paths.every((path) => typeof path === "string");
  if ((type === "look" || type === "change") && hasPaths) return { type, paths };
  if (type === "command" && typeof command === "string") return { type, command, isConfined: false };
  if (type === "fetch" && typeof url === "string") return { type, url };
  if (type === "named" && typeof name === "string") return { type, name };
  if (type === "nothing") return { type };
  throw new Error("the intent has an unknown type or lacks a field");
}

interface OngoingOptions {
  readonly name: string;
  readonly reportError: ReportError;
}

function readOngoing(getText: () => unknown, { name, reportError }: OngoingOptions): string | null {
  try {
    const text = getText();
    if (typeof text === "string" || text === null || text === undefined) return text ?? null;
    reportError(`tool ${name}`, "ongoing must return a string or null");
  } catch (error) {
    reportError(`tool ${name}`, String(error));
  }
  return null;
}

function parseCommand(
  { name, command }: { readonly name: unknown; readonly command: unknown },
  extension: string,
): CommandRegistration {
  const { description, argumentHint, run } = Object(command) as Partial<ExtensionCommand>;
  if (typeof name !== "string" || !COMMAND_NAME.test(name))
    throw new Error("the name must be at most 64 lowercase letters, digits and dashes, and begin with a letter");
  if (typeof description !== "string") throw new Error("description is missing");
  if (typeof run !== "function") throw new Error("run must be a function");
  return {
    name,
    extension,
    description,
    ...(typeof argumentHint === "string" && { argumentHint }),
    run: async (args, context) => run.call(command, args, context),
  };
}

const COMMAND_NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** An error in `text` is rethrown, so that the previous text stays in use. It is reported once until `text` succeeds again. */
function parseState(
  { name, text }: { readonly name: unknown; readonly text: unknown },
  reportError: ReportError,
): StateSection {
  if (typeof name !== "string" || !STATE_NAME.test(name))
    throw new Error("the name must be at most 64 letters, digits, spaces, _ and -, and begin with a letter");
  if (typeof text !== "function") throw new Error("text must be a function");
  let isReported = false;
  return {
    name,
    text: () => {
      try {
        const value: unknown = text();
        if (typeof value !== "string" && value !== null && value !== undefined)
          throw new Error("the text must be a string or null");
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

function parseRules(value: unknown): Required<ExtensionRules> {
  const { allow, ask, deny } = Object(value) as Readonly<Record<string, unknown>>;
  return { allow: parseStrings(allow), ask: parseStrings(ask), deny: parseStrings(deny) };
}

function parseStrings(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
    throw new Error("rules must be lists of strings");
  return [...value];
}

/** A summarizer that throws, hangs or returns an invalid result has failed; then the next one is tried. */
function parseSummarizer(value: unknown, { sleep }: Pick<Runtime, "sleep">): Summarizer {
  const { name, isPaid, summarize } = Object(value) as Partial<Summarizer>;
  if (typeof name !== "string" || name.trim() === "") throw new Error("the summarizer has no name");
  if (typeof summarize !== "function") throw new Error("summarize must be a function");
  return {
    name,
    // A summarizer counts as paid unless it declares otherwise.
    isPaid: isPaid !== false,
    async summarize(plan: CompactionPlan, options: SummarizeOptions): Promise<SummarizerResult> {
      // As long as one attempt of a model, so that there is time left for the next summarizer.
      const { attempt: ms } = options.time ?? createSummaryTimeouts();
      // Without the abort signal: the caller handles an abort, and gives the summarizer a moment to report its usage.
      const result = await runGuarded(
        async () => parseSummarizerResult(await summarize.call(value, plan, options), plan),
        { timeout: { ms, sleep } },
      );
      if (result.type === "done") return result.value;
      return { type: "failed", why: result.type === "failed" ? result.why : `no result within ${ms / 60_000} min` };
    },
  };
}

function parseSummarizerResult(value: unknown, plan: CompactionPlan): SummarizerResult {
  const { type, candidate, why, calls } = Object(value) as Readonly<Record<string, unknown>>;
  const callUsages = parseCalls(calls);
  switch (type) {
    case "written":
      return { type, candidate: parseCandidate(candidate, plan) };
    case "nothing":
      return { type };
    case "cancelled":
      return { type, calls: callUsages };
    case "failed":
      return { type, why: typeof why === "string" ? why : "the summarizer gave no reason", calls: callUsages };
    default:
      throw new Error("the summarizer's result has an unknown type");
  }
}

// The summary covers the entries of the plan, or fewer; the extension cannot add others.
function parseCandidate(value: unknown, plan: CompactionPlan): SummaryCandidate {
  const { narrative, notes, covers, by, calls, findings, details } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof narrative !== "string" || narrative.trim() === "") throw new Error("the narrative is empty");
  const coveredIds = new Set(plan.covered.map(({ id }) => id));
  const ids: readonly unknown[] = covers instanceof Set || Array.isArray(covers) ? [...covers] : [...coveredIds];
  const { api, provider, model } = Object(by) as Readonly<Record<string, unknown>>;
  const hasModelName = typeof api === "string" && typeof provider === "string" && typeof model === "string";
  const parsedDetails = parseDetails(details);
  return {
    // Never a route that the extension chose: the summary that Pith builds without a model is recognized by its route and is not validated.
    route: "hook",
    narrative,
    notes: typeof notes === "string" ? notes : "",
    covers: new Set([...coveredIds].filter((id) => ids.includes(id))),
    ...(hasModelName && { by: { api, provider, model } }),
    calls: parseCalls(calls),
    findings: parseFindings(findings),
    ...(parsedDetails && { details: parsedDetails }),
    fromHook: true,
  };
}

type CallUsage = NonNullable<SummaryCandidate["calls"]>[number];

function parseCalls(value: unknown): readonly CallUsage[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((call) => {
    const usage = parseUsage(Object(call).usage);
    return usage ? [{ usage }] : [];
  });
}

function parseFindings(value: unknown): readonly Finding[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((finding) => {
    const { code, note } = Object(finding) as Readonly<Record<string, unknown>>;
    return typeof code === "string" && typeof note === "string" ? [{ code, note } as Finding] : [];
  });
}
