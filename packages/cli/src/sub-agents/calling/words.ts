/** What the model is told of sub-agents. Text only. */

export const DESCRIPTION = `Hands a task to a sub-agent: another agent with a context of its own, which sees none of this conversation. Say all it needs in the task.
Give one {agent, task}, several that work at the same time {tasks: [{agent, task}, …]} (8 at most), or one after the other {chain: [{agent, task}, …]}, where {previous} in a task stands for what the one before said last.
Its last words come back. With background: true you go on at once, and are told when it ends; {wait: [ids]} waits for those. {read: id, page} shows all that one did.
Agents:`;

export const MORE = "and more; a wrong name lists them all";

export const STATE =
  "Sub-agents that work in the background now; you are told when one ends, so do not start them again:";

export const BEGUN = "works in the background; you are told when it ends";
