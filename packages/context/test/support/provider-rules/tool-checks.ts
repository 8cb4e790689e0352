/** Checks tools: declared names, a forced choice, the pairing of calls and results, and call ids. */

import type { Request } from "../../../src/model.ts";
import {
  findDuplicates,
  messageToolCalls,
  type RequestCheck,
  type RequestMessage,
  type RequestToolCall,
  readListField,
  readStringField,
  requestMessages,
  toJsonObject,
} from "./rule.ts";

export function invalidToolNames(pattern: RegExp): RequestCheck {
  return (request) =>
    collectToolNameUses(request)
      .filter(({ name }) => !pattern.test(name))
      .map(({ at, name }) => `${at}: tool name "${name}" does not match ${pattern.source}`);
}

export const duplicateToolNames: RequestCheck = (request) =>
  findDuplicates(toToolNameUses(readListField(request, "tools"), "tools"), ({ name }) => name).map(
    ({ at, name }) => `${at}: tool "${name}" is declared twice`,
  );

export const unknownToolChoice: RequestCheck = (request) => {
  if (!isToolForced(request)) return [];
  const toolNames = collectToolNames(request);
  if (toolNames.size === 0) return ["toolChoice: a tool is forced, but none is declared"];
  const toolChoice = toJsonObject(request).toolChoice;
  if (toolChoice === "required" || toolNames.has(readStringField(toolChoice, "name"))) return [];
  return [`toolChoice: tool "${readStringField(toolChoice, "name")}" is not declared`];
};

export const toolChoiceWhileThinking: RequestCheck = (request) =>
  isToolForced(request) && toJsonObject(request).thinking !== "off"
    ? ["toolChoice: a tool is forced while thinking"]
    : [];

interface ToolNameUse {
  readonly at: string;
  readonly name: string;
}

function isToolForced(request: Request): boolean {
  const toolChoice = toJsonObject(request).toolChoice;
  return toolChoice === "required" || typeof toJsonObject(toolChoice).name === "string";
}

/** System messages can add and remove tools. */
function collectToolNames(request: Request): ReadonlySet<string> {
  const names = new Set(toToolNameUses(readListField(request, "tools"), "tools").map(({ name }) => name));
  for (const { message } of requestMessages(request)) {
    for (const tool of readListField(message, "toolsAdded")) names.add(readStringField(tool, "name"));
    for (const tool of readListField(message, "toolsRemoved")) names.delete(readStringField(tool, "name"));
  }
  return names;
}

function collectToolNameUses(request: Request): readonly ToolNameUse[] {
  const inMessages = requestMessages(request).flatMap((message) => [
    ...toToolNameUses(readListField(message.message, "toolsAdded"), `${message.at}.toolsAdded`),
    ...messageToolCalls(message),
  ]);
  return [...toToolNameUses(readListField(request, "tools"), "tools"), ...inMessages];
}

function toToolNameUses(tools: readonly unknown[], path: string): readonly ToolNameUse[] {
  return tools.map((tool, index) => ({ at: `${path}[${index}]`, name: readStringField(tool, "name") }));
}

export const callsWithoutResult: RequestCheck = (request) =>
  pairCallsWithResults(request)
    .callGroups.filter(({ calls, results }) => results < calls)
    .map(({ at, id }) => `${at}: call ${id} has no result`);

export const callsWithTwoResults: RequestCheck = (request) =>
  pairCallsWithResults(request)
    .resultMatches.filter(({ callGroup, ordinal }) => callGroup !== undefined && ordinal > callGroup.calls)
    .map(({ at, id }) => `${at}: call ${id} already has a result`);

export const resultsWithoutCall: RequestCheck = (request) =>
  pairCallsWithResults(request)
    .resultMatches.filter(({ callGroup }) => callGroup === undefined)
    .map(({ at, id }) => `${at}: result ${id} has no call`);

export const resultsOutOfPlace: RequestCheck = (request) =>
  pairCallsWithResults(request)
    .resultMatches.filter(
      ({ callGroup, previousIndex }) => callGroup !== undefined && previousIndex !== callGroup.index,
    )
    .map(({ at, id }) => `${at}: result ${id} does not follow its call`);

export const resultsWithWrongName: RequestCheck = (request) =>
  pairCallsWithResults(request)
    .resultMatches.filter(({ callGroup, name }) => callGroup !== undefined && !callGroup.names.has(name))
    .map(({ at, id, name }) => `${at}: result ${id} is named "${name}", its call is not`);

/** All calls of one message with the same id. */
interface CallGroup {
  readonly at: string;
  readonly index: number;
  readonly id: string;
  readonly names: Set<string>;
  calls: number;
  results: number;
}

interface ResultMatch {
  readonly at: string;
  readonly id: string;
  readonly name: string;
  /** The latest call with that id before it. */
  readonly callGroup: CallGroup | undefined;
  /** Its position among the results of that call, from 1. */
  readonly ordinal: number;
  /** The last message before it that is not a result. */
  readonly previousIndex: number;
}

interface CallResultPairs {
  readonly callGroups: readonly CallGroup[];
  readonly resultMatches: readonly ResultMatch[];
}

function pairCallsWithResults(request: Request): CallResultPairs {
  const callGroups: CallGroup[] = [];
  const resultMatches: ResultMatch[] = [];
  const latestGroups = new Map<string, CallGroup>();
  let previousIndex = -1;
  for (const message of requestMessages(request)) {
    if (message.role === "toolResult") {
      resultMatches.push(matchResult(message, latestGroups, previousIndex));
      continue;
    }
    previousIndex = message.index;
    for (const callGroup of groupCallsById(message)) {
      callGroups.push(callGroup);
      latestGroups.set(callGroup.id, callGroup);
    }
  }
  return { callGroups, resultMatches };
}

function matchResult(
  { at, message }: RequestMessage,
  latestGroups: ReadonlyMap<string, CallGroup>,
  previousIndex: number,
): ResultMatch {
  const id = readStringField(message, "toolCallId");
  const callGroup = latestGroups.get(id);
  if (callGroup !== undefined) callGroup.results += 1;
  return {
    at,
    id,
    name: readStringField(message, "toolName"),
    callGroup,
    ordinal: callGroup?.results ?? 0,
    previousIndex,
  };
}

function groupCallsById(message: RequestMessage): readonly CallGroup[] {
  const callGroups = new Map<string, CallGroup>();
  for (const { at, id, name } of messageToolCalls(message)) {
    const callGroup = callGroups.get(id) ?? { at, index: message.index, id, names: new Set(), calls: 0, results: 0 };
    callGroup.calls += 1;
    callGroup.names.add(name);
    callGroups.set(id, callGroup);
  }
  return [...callGroups.values()];
}

export function invalidCallIds(pattern: RegExp): RequestCheck {
  return (request) =>
    collectToolCalls(request)
      .filter(({ id }) => !pattern.test(id))
      .map(({ at, id }) => `${at}: id "${id}" does not match ${pattern.source}`);
}

/** `toComparedId` returns the part of an id that the provider compares; default: the whole id. */
export function duplicateCallIds(toComparedId: (id: string) => string = (id) => id): RequestCheck {
  return (request) =>
    findDuplicates(collectToolCalls(request), ({ id }) => toComparedId(id)).map(
      ({ at, id }) => `${at}: id "${id}" is used by a second call`,
    );
}

function collectToolCalls(request: Request): readonly RequestToolCall[] {
  return requestMessages(request).flatMap(messageToolCalls);
}
