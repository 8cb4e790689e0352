/** Makes and recognises the ids of the sessions that sub-agents work in. */

const END = "-subagent";

/** Also the id of its session: short, because ids are shown by their beginning, and recognised by its end. */
export function newSubAgentId(): string {
  return `${crypto.randomUUID().slice(0, 8)}${END}`;
}

export function isOfSubAgent(sessionId: string): boolean {
  return sessionId.endsWith(END);
}
