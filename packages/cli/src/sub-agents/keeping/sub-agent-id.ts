/** Ids of sub-agents, which are the ids of their sessions: short where ids are shown by their beginning, and known by their end. */

const END = "-subagent";

export function newSubAgentId(): string {
  return `${crypto.randomUUID().slice(0, 8)}${END}`;
}

export function isOfSubAgent(sessionId: string): boolean {
  return sessionId.endsWith(END);
}
