/** `/session`: where this session lies, what it holds, and what it has cost. */

import { stat } from "node:fs/promises";
import { told } from "../answers.ts";
import type { Command } from "../command.ts";
import { branchesOf } from "../walking/branches-of.ts";
import { sessionSums } from "./telling/session-sums.ts";
import { type SessionReport, sessionText } from "./telling/session-text.ts";

/** Bytes; what is shorter is read in a moment. */
const LONG = 64 * 1024 * 1024;

export const session: Command = {
  name: "session",
  says: "where this session lies, what it holds, and what it has cost over all its branches",
  async run(_, desk) {
    const { agent, sessionPath, note } = desk;
    if (sessionPath !== null && (await stat(sessionPath)).size > LONG) note?.("counting all entries");
    const { store } = agent.session;
    const { id, cwd, parentSession = null } = store.header;
    const { provider, model } = agent.model;
    const { limit } = agent.budget;
    const report: SessionReport = {
      file: sessionPath,
      id,
      name: (await store.name()) ?? null,
      cwd,
      parentSession,
      branches: await branchesOf(agent.session),
      totals: await sessionSums(agent.session, sessionPath),
      context: { tokens: agent.contextUsage().tokens, limit: Number.isFinite(limit) ? limit : null },
      model: `${provider}/${model}`,
    };
    return told(sessionText(report), report);
  },
};
