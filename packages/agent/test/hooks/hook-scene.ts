/** A scene for hooks: an agent whose model says what it is told to, and all that was reported. */

import type { AssistantMessage, Entry } from "@pith/context";
import type { HookFailure } from "@pith/context/host";
import { type ScriptedModel, type ScriptedReply, scriptedModel } from "@pith/context/testing";
import type { AgentHooks, AgentOptions, Tool } from "../../src/index.ts";
import { type Stage, stage } from "../loop/held.ts";

export interface Scene extends Stage {
  readonly model: ScriptedModel;
  readonly reported: readonly HookFailure[];
  readonly ran: readonly Readonly<Record<string, unknown>>[];
  /** The log of the branch. */
  readonly log: () => Promise<readonly Entry[]>;
  /** What the model was shown with its request of this number, as text. */
  readonly shown: (request: number) => string;
}

export async function spoken(
  replies: readonly ScriptedReply[],
  hooks: AgentHooks,
  parts: Partial<AgentOptions> = {},
): Promise<Scene> {
  const model = scriptedModel(...replies);
  const reported: HookFailure[] = [];
  const ran: Readonly<Record<string, unknown>>[] = [];
  const report = (failure: HookFailure): void => void reported.push(failure);
  const scene = await stage(model, { tools: [worker(ran)], summarizers: [], ...parts, hooks: { report, ...hooks } });
  const log = () => scene.agent.session.branchEntries();
  return { ...scene, model, reported, ran, log, shown: (request) => JSON.stringify(model.requests[request]) };
}

function worker(ran: Readonly<Record<string, unknown>>[]): Tool {
  return {
    name: "work",
    description: "It works.",
    parameters: { type: "object" },
    isIdempotent: true,
    run: async ({ arguments: given }) => {
      ran.push(given);
      return { content: [{ type: "text", text: "worked" }], details: { of: "work" } };
    },
  };
}

export const calling = (given: Readonly<Record<string, unknown>> = {}): Pick<AssistantMessage, "content"> => ({
  content: [{ type: "toolCall", id: "c1", name: "work", arguments: given }],
});

export const remark = (content: string) =>
  ({ type: "custom_message", customType: "mine", content, display: true }) as const;
