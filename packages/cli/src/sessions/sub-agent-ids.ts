/** Makes and recognises the ids of the sessions that sub-agents work in. */

const ID_SUFFIX = "-subagent";

/** Also the id of its session: short, because ids are shown by their beginning, and recognised by its end. */
export function createSubAgentId(): string {
  return `${crypto.randomUUID().slice(0, 8)}${ID_SUFFIX}`;
}

export function isSubAgentSession(sessionId: string): boolean {
  return sessionId.endsWith(ID_SUFFIX);
}
