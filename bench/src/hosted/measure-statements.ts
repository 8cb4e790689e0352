/** Measures the statements of a start, from the message to the request to the model, and of a whole run. */

import type { Figures } from "../suite.ts";
import { HostedService, tenantAt } from "./service.ts";
import { countStatements, type StatementCounts, StatementLog } from "./statements.ts";

export interface RunStatements {
  /** Until the first delta of the reply. */
  readonly start: StatementCounts;
  /** The rest of the run. */
  readonly end: StatementCounts;
}

/** An hour: what the worker repeats must not run while statements are counted. */
const NEVER_MS = 3_600_000;

/** Runs sessions with one message each, in a service of its own whose PostgreSQL logs every statement. */
export async function measureStatements(sessions: number): Promise<RunStatements> {
  const log = new StatementLog();
  const service = await HostedService.start({
    ...{ replySeconds: 3600, deltasPerSecond: 2, concurrency: 2 * sessions, settings: log.settings },
    intervals: { mail: NEVER_MS, sweep: NEVER_MS, cleanup: NEVER_MS },
  });
  try {
    // The first ones prepare statements and open connections.
    await startSessions(service, await service.createSessions("stream-first", sessions));
    await finishSessions(service);
    const ids = await service.createSessions("stream-counted", sessions);
    await log.take(service.database);
    await startSessions(service, ids);
    const start = countStatements(await log.take(service.database), sessions);
    await finishSessions(service);
    return { start, end: countStatements(await log.take(service.database), sessions) };
  } finally {
    await service.stop();
    log.remove();
  }
}

async function startSessions(service: HostedService, ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) await service.send(tenantAt(index), id);
  await service.waitUntil(() => ids.every((id) => service.sent.get(id)?.firstDeltaMs));
}

/** Waits until DBOS has written the results of the wake-ups, too. */
async function finishSessions(service: HostedService): Promise<void> {
  service.tellModel("finish");
  await service.waitUntil(() => [...service.sent.values()].every(({ isClosed }) => isClosed));
  await service.waitUntil(async () => {
    const { rows } = await service.database.pool.query(
      "select count(*)::int as count from dbos.workflow_status where status in ('ENQUEUED', 'PENDING')",
    );
    return rows[0].count === 0;
  });
}

/** The figures do not depend on the machine. */
export function toStatementFigures({ start, end }: RunStatements, log: (text: string) => void): Figures {
  for (const { name, count, ms } of [...start.costs, ...end.costs])
    log(`  ${count.toFixed(1).padStart(5)} × ${(ms / count).toFixed(2)} ms  ${name}`);
  return {
    start_statements: start.statements,
    start_transactions: start.transactions,
    run_statements: start.statements + end.statements,
    run_transactions: start.transactions + end.transactions,
  };
}
