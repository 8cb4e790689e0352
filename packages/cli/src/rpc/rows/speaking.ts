/** Commands that say something to the model, or take it back. */

import { said } from "../acting/said.ts";
import { ranSlash } from "../acting/slash.ts";
import type { RpcCommands } from "../line/rpc-commands.ts";
import { images, oneOf, optional, text, words } from "../reading/field.ts";
import { done, failed, type Rows } from "./row.ts";

export const speaking: Rows<
  keyof Pick<RpcCommands, "prompt" | "steer" | "follow_up" | "abort" | "clear_queue" | "run_command" | "get_commands">
> = {
  prompt: {
    says: "say something; answered when it is accepted, not when it is done. While a run is under way say how with `streamingBehavior`. A message that begins with a slash may be a command",
    example: { type: "prompt", message: "Fix the login test." },
    fields: { message: text, images: optional(images), streamingBehavior: optional(oneOf("steer", "followUp")) },
    lane: "speaking",
    run: async ({ message, images: pictures = [], streamingBehavior }, seat) => {
      const ran = await ranSlash(message, seat);
      if (ran.type === "ran") return ran.outcome;
      return await said(ran.content, { seat, pictures, behaviour: streamingBehavior });
    },
  },
  steer: {
    says: "say something before the next request of the run that is under way; where none is, it begins one",
    example: { type: "steer", message: "Leave the tests alone." },
    fields: { message: words, images: optional(images) },
    lane: "speaking",
    run: ({ message, images: pictures = [] }, seat) => said(message, { seat, pictures, behaviour: "steer" }),
  },
  follow_up: {
    says: "say something when the model has no more to say; where no run is under way, it begins one",
    example: { type: "follow_up", message: "Then write the changelog." },
    fields: { message: words, images: optional(images) },
    lane: "speaking",
    run: ({ message, images: pictures = [] }, seat) => said(message, { seat, pictures, behaviour: "followUp" }),
  },
  abort: {
    says: "end what is under way, a run, a compaction or a move; answered when it has ended. What waits to be said stays; open questions are left without an answer",
    example: { type: "abort" },
    fields: {},
    lane: "urgent",
    run: async (_, { ready, unask }) => {
      const ended = ready.built.agent.abort();
      unask();
      await ended;
      return done(null);
    },
  },
  clear_queue: {
    says: "take back all that waits to be said",
    example: { type: "clear_queue" },
    fields: {},
    run: async (_, { ready }) => {
      const taken = await ready.built.agent.clearQueue();
      const of = (kind: string) => taken.filter((each) => each.kind === kind).map(({ content }) => content);
      return done({ steering: of("steer"), followUp: of("followUp") });
    },
  },
  run_command: {
    says: "run what a person would type with a slash: Pith's own commands, those of extensions, templates and skills",
    example: { type: "run_command", command: "/session" },
    fields: { command: words },
    lane: "speaking",
    run: async ({ command }, seat) => {
      if (!command.startsWith("/")) return failed('"command" begins with a slash, such as "/session"');
      const ran = await ranSlash(command, seat);
      if (ran.type === "ran") return ran.outcome;
      if (!ran.isTemplate) return failed(`${command.slice(0, 60)} is no command; prompt says it to the model`);
      return await said(ran.content, { seat, pictures: [], behaviour: undefined });
    },
  },
  get_commands: {
    says: "all that can be run with a slash; `source` is `pith`, `extension`, `prompt` or `skill`",
    example: { type: "get_commands" },
    fields: {},
    run: async (_, seat) => {
      const { slashCommands } = await import("../acting/slash-commands.ts");
      return done({ commands: await slashCommands(seat) });
    },
  },
};
