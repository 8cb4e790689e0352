/** Handlers as the hooks of an agent, in the order in which they were registered. */

import type { HookHost } from "@pith/context";
import type { AgentHooks } from "../../agent-parts.ts";
import type { ExtensionEventName } from "../extension-events.ts";
import type { HostAsked } from "../extensions.ts";
import { type Handling, hookOf } from "./handling.ts";

/** What an agent asks by itself. */
export type Hooked = Extract<keyof AgentHooks, ExtensionEventName>;

/** What is told to whoever listens, and waited for by nobody. */
export type Told = Exclude<ExtensionEventName, Hooked | HostAsked>;

const hooked: Readonly<Record<Hooked, true>> = {
  session_before_compact: true,
  session_compact: true,
  session_compact_failed: true,
  session_before_tree: true,
  session_tree: true,
  input: true,
  before_agent_start: true,
  agent_before_settle: true,
  turn_end: true,
  message_end: true,
  tool_call: true,
  tool_result: true,
  context: true,
  context_with_system: true,
  before_provider_request: true,
  after_provider_response: true,
  provider_stream_event: true,
};

/** Those that nobody listens to are absent, so that nothing is made ready for them. */
export function hooksOf(handlings: readonly Handling[], host: HookHost): AgentHooks {
  const asked = handlings.filter(({ event }) => Object.hasOwn(hooked, event));
  const hooks = Object.groupBy(asked, ({ event }) => event);
  const named = Object.entries(hooks).map(([event, each]) => [event, each.map(hookOf)]);
  return { ...(Object.fromEntries(named) as AgentHooks), ...host };
}
