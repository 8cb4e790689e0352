/** Routes for messages, entries and permission questions of a session. */

import { randomUUID } from "node:crypto";
import { acceptMessage, type NewMessage } from "../../runs/inbox.ts";
import { answerQuestion, listQuestions, type OpenQuestion } from "../../runs/questions.ts";
import { type AnyRoute, defineRoute } from "../define-route.ts";
import { notFound } from "../problems.ts";
import * as schemas from "../schemas.ts";
import type { Service } from "../service.ts";
import { readPage, requireStore } from "../sessions.ts";

export function createMessageRoutes(service: Service): readonly AnyRoute[] {
  const { database } = service;
  const accept = async (tenant: string, session: string, message: NewMessage): Promise<{ readonly id: string }> => {
    if (!(await acceptMessage(service, tenant, { session, message }))) throw notFound("session");
    return { id: message.id };
  };
  return [
    defineRoute({
      ...{ method: "POST", path: "/sessions/:session/messages", name: "sendMessage", scope: "write" },
      ...{ action: "message.send", summary: "Send a message. The agent starts if it does not run." },
      params: schemas.SessionParams,
      body: schemas.NewMessage,
      answers: { 202: schemas.Accepted },
      handle: async ({ caller, params, body: { id = randomUUID(), content, kind = "followUp" }, reply }) => {
        void reply.code(202);
        return await accept(caller.tenant, params.session, { id, content, kind });
      },
    }),
    defineRoute({
      ...{ method: "POST", path: "/sessions/:session/abort", name: "abortRun", scope: "write" },
      ...{ action: "run.abort", summary: "End the run. What is in the log stays." },
      params: schemas.SessionParams,
      body: schemas.NewRequest,
      answers: { 202: schemas.Accepted },
      handle: async ({ caller, params, body: { id = randomUUID() }, reply }) => {
        void reply.code(202);
        return await accept(caller.tenant, params.session, { id, kind: "stop", content: "" });
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session/entries", name: "listEntries", scope: "read" },
      summary: "List the entries of all branches, in the order of the log.",
      params: schemas.SessionParams,
      query: schemas.SeqQuery,
      answers: { 200: schemas.EntryPage },
      handle: async ({ caller, params, query }) =>
        await readPage(await requireStore(database, caller.tenant, params.session), query),
    }),
    defineRoute({
      ...{ method: "GET", path: "/questions", name: "listQuestions", scope: "read" },
      summary: "List the permission questions of all sessions that wait for an answer.",
      answers: { 200: schemas.Questions },
      handle: async ({ caller }) => ({ questions: (await listQuestions(database, caller.tenant)).map(toQuestion) }),
    }),
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session/questions", name: "listSessionQuestions", scope: "read" },
      summary: "List the permission questions of a session that wait for an answer.",
      params: schemas.SessionParams,
      answers: { 200: schemas.Questions },
      handle: async ({ caller, params }) => {
        await requireStore(database, caller.tenant, params.session);
        const questions = await listQuestions(database, caller.tenant);
        return { questions: questions.filter(({ session }) => session === params.session).map(toQuestion) };
      },
    }),
    defineRoute({
      ...{ method: "POST", path: "/sessions/:session/questions/:question/answer", name: "answerQuestion" },
      ...{
        scope: "write",
        action: "question.answer",
        summary: "Answer a permission question. The first answer counts.",
      },
      params: schemas.QuestionParams,
      body: schemas.Answer,
      answers: { 202: schemas.Accepted },
      handle: async ({ caller, params: { session, question }, body: { answer: type, reason }, reply }) => {
        const answer = type === "yes" ? { type } : { type, ...(reason !== undefined && { word: reason }) };
        const isOpen = await answerQuestion(service, caller.tenant, { session, question, answer });
        if (!isOpen) throw notFound("open question");
        void reply.code(202);
        return { id: question };
      },
    }),
  ];
}

function toQuestion({ asked, expires, ...question }: OpenQuestion) {
  return { ...question, asked: asked.toISOString(), expires: expires.toISOString() };
}
