/** Creates and recognises the session ids of sub-agents. */

const ID_SUFFIX = "-subagent";

/** Creates the id of a sub-agent and its session. It is short, because only the beginning of an id is shown. */
export function createSubAgentId(): string {
  return `${crypto.randomUUID().slice(0, 8)}${ID_SUFFIX}`;
}

export function isSubAgentSession(sessionId: string): boolean {
  return sessionId.endsWith(ID_SUFFIX);
}
