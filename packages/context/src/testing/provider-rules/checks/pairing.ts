/** How calls and results find each other: one result for each call, right behind the message that called. */

import type { Request } from "../../../request.ts";
import type { Check } from "../rule.ts";
import { callPlaces, type MessagePlace, messagePlaces, textAt } from "./places.ts";

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
