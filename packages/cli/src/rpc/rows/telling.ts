/** Commands that only ask: what the session is, holds and costs. */

import { buildSessionContext } from "@pith/context";
import { nthAnswer } from "../../commands/looking/nth-answer.ts";
import { stateOf, statsOf, usageOf } from "../acting/state-of.ts";
import type { RpcCommands } from "../line/rpc-commands.ts";
import { done, failed, type Rows } from "./row.ts";

export const telling: Rows<
  keyof Pick<
    RpcCommands,
    "get_state" | "get_messages" | "get_last_assistant_text" | "get_session_stats" | "context_usage"
  >
> = {
  get_state: {
    says: "who speaks, what is under way, which session this is, and what is set",
    example: { type: "get_state" },
    fields: {},
    run: async (_, seat) => done(await stateOf(seat)),
  },
  get_messages: {
    says: "the context as it is now: what a compaction put in front, and what was said since",
    example: { type: "get_messages" },
    fields: {},
    run: async (_, { ready }) => {
      const { session } = ready.built.agent;
      await session.settle();
      return done({ messages: buildSessionContext(session.window).messages });
    },
  },
  get_last_assistant_text: {
    says: "the last answer of the model; `text` is null where there is none",
    example: { type: "get_last_assistant_text" },
    fields: {},
    run: async (_, { ready }) => done({ text: await nthAnswer(1, ready.built.agent.session) }),
  },
  get_session_stats: {
    says: "messages, tokens and cost over all branches, and what fills the window",
    example: { type: "get_session_stats" },
    fields: {},
    run: async (_, seat) => {
      const stats = await statsOf(seat);
      return stats ? done(stats) : failed("the session's file cannot be read; is it still there?");
    },
  },
  context_usage: {
    says: "what the next request weighs, of which window, and from where on it is compacted",
    example: { type: "context_usage" },
    fields: {},
    run: async (_, { ready }) => done(usageOf(ready.built.agent)),
  },
};
