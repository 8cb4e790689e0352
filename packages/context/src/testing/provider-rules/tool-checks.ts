/** Checks tools: declared names, a forced choice, the pairing of calls and results, and call ids. */

import type { Request } from "../../model.ts";
import {
  type CallPlace,
  callPlaces,
  fields,
  listAt,
  type MessagePlace,
  messagePlaces,
  repeats,
  textAt,
} from "./places.ts";
import type { Check } from "./rule.ts";

export function toolNamesOutside(pattern: RegExp): Check {
  return (request) =>
    namePlaces(request)
      .filter(({ name }) => !pattern.test(name))
      .map(({ at, name }) => `${at}: tool name "${name}" does not match ${pattern.source}`);
}

export const repeatedToolNames: Check = (request) =>
  repeats(placed(listAt(request, "tools"), "tools"), ({ name }) => name).map(
    ({ at, name }) => `${at}: tool "${name}" is declared twice`,
  );

export const undeclaredChoice: Check = (request) => {
  if (!isForced(request)) return [];
  const declared = declaredNames(request);
  if (declared.size === 0) return ["toolChoice: a tool is forced, but none is declared"];
  const chosen = fields(request).toolChoice;
  if (chosen === "required" || declared.has(textAt(chosen, "name"))) return [];
  return [`toolChoice: tool "${textAt(chosen, "name")}" is not declared`];
};

export const forcedChoiceWhileThinking: Check = (request) =>
  isForced(request) && fields(request).thinking !== "off" ? ["toolChoice: a tool is forced while thinking"] : [];

interface NamePlace {
  readonly at: string;
  readonly name: string;
}

function isForced(request: Request): boolean {
  const chosen = fields(request).toolChoice;
  return chosen === "required" || typeof fields(chosen).name === "string";
}

/** System messages in place add and remove tools. */
function declaredNames(request: Request): ReadonlySet<string> {
  const names = new Set(placed(listAt(request, "tools"), "tools").map(({ name }) => name));
  for (const { message } of messagePlaces(request)) {
    for (const tool of listAt(message, "toolsAdded")) names.add(textAt(tool, "name"));
    for (const tool of listAt(message, "toolsRemoved")) names.delete(textAt(tool, "name"));
  }
  return names;
}

function namePlaces(request: Request): readonly NamePlace[] {
  const inMessages = messagePlaces(request).flatMap((place) => [
    ...placed(listAt(place.message, "toolsAdded"), `${place.at}.toolsAdded`),
    ...callPlaces(place),
  ]);
  return [...placed(listAt(request, "tools"), "tools"), ...inMessages];
}

function placed(tools: readonly unknown[], at: string): readonly NamePlace[] {
  return tools.map((tool, index) => ({ at: `${at}[${index}]`, name: textAt(tool, "name") }));
}

export const unansweredCalls: Check = (request) =>
  pairing(request)
    .questions.filter(({ calls, results }) => results < calls)
    .map(({ at, id }) => `${at}: call ${id} has no result`);

export const callsAnsweredTwice: Check = (request) =>
  pairing(request)
    .answers.filter(({ question, nth }) => question !== undefined && nth > question.calls)
    .map(({ at, id }) => `${at}: call ${id} already has a result`);

export const resultsWithoutCall: Check = (request) =>
  pairing(request)
    .answers.filter(({ question }) => question === undefined)
    .map(({ at, id }) => `${at}: result ${id} has no call`);

export const displacedResults: Check = (request) =>
  pairing(request)
    .answers.filter(({ question, behind }) => question !== undefined && behind !== question.index)
    .map(({ at, id }) => `${at}: result ${id} does not stand behind its call`);

export const misnamedResults: Check = (request) =>
  pairing(request)
    .answers.filter(({ question, name }) => question !== undefined && !question.names.has(name))
    .map(({ at, id, name }) => `${at}: result ${id} is named "${name}", its call is not`);

/** All calls of one message that bear the same id. */
interface Question {
  readonly at: string;
  readonly index: number;
  readonly id: string;
  readonly names: Set<string>;
  calls: number;
  results: number;
}

interface Answer {
  readonly at: string;
  readonly id: string;
  readonly name: string;
  /** The newest call of that id before it. */
  readonly question: Question | undefined;
  /** Its place among the results of that call, from 1. */
  readonly nth: number;
  /** The message that its unbroken run of results stands behind. */
  readonly behind: number;
}

interface Pairing {
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
}

function pairing(request: Request): Pairing {
  const questions: Question[] = [];
  const answers: Answer[] = [];
  const newest = new Map<string, Question>();
  let behind = -1;
  for (const place of messagePlaces(request)) {
    if (place.role === "toolResult") {
      answers.push(answer(place, newest, behind));
      continue;
    }
    behind = place.index;
    for (const question of questionsOf(place)) {
      questions.push(question);
      newest.set(question.id, question);
    }
  }
  return { questions, answers };
}

function answer({ at, message }: MessagePlace, newest: ReadonlyMap<string, Question>, behind: number): Answer {
  const id = textAt(message, "toolCallId");
  const question = newest.get(id);
  if (question !== undefined) question.results += 1;
  return { at, id, name: textAt(message, "toolName"), question, nth: question?.results ?? 0, behind };
}

function questionsOf(place: MessagePlace): readonly Question[] {
  const questions = new Map<string, Question>();
  for (const { at, id, name } of callPlaces(place)) {
    const question = questions.get(id) ?? { at, index: place.index, id, names: new Set(), calls: 0, results: 0 };
    question.calls += 1;
    question.names.add(name);
    questions.set(id, question);
  }
  return [...questions.values()];
}

export function idsOutside(pattern: RegExp): Check {
  return (request) =>
    calls(request)
      .filter(({ id }) => !pattern.test(id))
      .map(({ at, id }) => `${at}: id "${id}" does not match ${pattern.source}`);
}

/** `part` is what the provider sees of an id: the whole of it, if not told otherwise. */
export function repeatedIds(part: (id: string) => string = (id) => id): Check {
  return (request) =>
    repeats(calls(request), ({ id }) => part(id)).map(({ at, id }) => `${at}: id "${id}" serves a second call`);
}

function calls(request: Request): readonly CallPlace[] {
  return messagePlaces(request).flatMap(callPlaces);
}
