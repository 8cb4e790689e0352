/** Whoever sits before the editor is asked whether a call may be run; no answer is a no. */

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import {
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type ToolCallContent,
} from "@agentclientprotocol/sdk/unstable";
import type { Answer, Ask, Question } from "@pith/agent";
import type { Vault } from "@pith/context/secrets";
import { askedChange } from "../../workplace/asked-change.ts";
import { callShown, diffOf } from "../updates/call-updates.ts";
import type { Asking } from "./asking.ts";

export function askEditor({ client, sight, calls, session }: Asking): Ask {
  return async (question, { signal }) => {
    const open = session();
    if (!open) return { type: "no" };
    const toolCallId = calls.of(question) ?? `asked-${randomUUID()}`;
    const shown = callShown({ toolCallId, toolName: question.tool, args: question.arguments }, sight.cwd);
    const content = await changeIn(question, { cwd: sight.cwd, vault: open.ready.place.vault, signal }).catch(
      () => null,
    );
    const toolCall = { ...shown, title: question.text, ...(content && { content: [content] }) };
    const asked: RequestPermissionRequest = { sessionId: open.id, toolCall, options: optionsFor(question) };
    return await client
      .request(methods.client.session.requestPermission, asked, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      })
      .then((response) => answerIn(response, question))
      // An editor that cannot ask, or has left, has permitted nothing.
      .catch((): Answer => ({ type: "no" }));
  };
}

/** What can be remembered is the narrowest rule, for this project. */
export function optionsFor({ rules: [rule] }: Pick<Question, "rules">): PermissionOption[] {
  return [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    ...(rule ? [{ optionId: "always", name: `Always allow ${rule.text} here`, kind: "allow_always" } as const] : []),
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
}

export function answerIn({ outcome }: RequestPermissionResponse, { rules: [rule] }: Pick<Question, "rules">): Answer {
  if (outcome.outcome !== "selected") return { type: "no" };
  if (outcome.optionId === "always" && rule) return { type: "yes", remember: { rule, for: "project" } };
  return outcome.optionId === "yes" ? { type: "yes" } : { type: "no" };
}

interface ShownPlace {
  readonly cwd: string;
  /** What is shown has no secret in it; what is compared has. */
  readonly vault: Vault | null | undefined;
  readonly signal: AbortSignal;
}

/** How the file would differ; null where that cannot be told. */
async function changeIn(question: Question, place: ShownPlace): Promise<ToolCallContent | null> {
  const changed = await askedChange(question, { ...place, mostBytes: MOST_BYTES });
  if (!changed) return null;
  const { path, before, after } = place.vault ? place.vault.redacted(changed) : changed;
  return diffOf(resolve(place.cwd, path), { oldText: before, newText: after });
}

const MOST_BYTES = 1024 * 1024;
