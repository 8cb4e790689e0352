/** Writers as the world has them: empty, failing, endless, forgetful, overtaken. None of them may spoil a session. */

import type { Plan } from "../../../src/compaction/planning/plan.ts";
import type { Candidate, Writer } from "../../../src/compaction/writing/candidate.ts";
import { type BeforeCompact, hookWriter } from "../../../src/compaction/writing/hooks.ts";
import type { Usage } from "../../../src/message.ts";
import type { Session } from "../../../src/session/session.ts";
import { nothingUsed } from "../../../src/testing/story.ts";
import type { WriterKind } from "./steps.ts";

export const paid: Usage = { ...nothingUsed, input: 100, totalTokens: 100, cost: { ...nothingUsed.cost, total: 0.01 } };

export function writerOf(kind: WriterKind, session: Session, onWrite: () => void): Writer {
  const writer = plainWriter(kind, session);
  return {
    ...writer,
    write(plan, act) {
      onWrite();
      return writer.write(plan, act);
    },
  };
}

function plainWriter(kind: WriterKind, session: Session): Writer {
  switch (kind) {
    case "empty":
      return made(kind, () => "  \n");
    case "endless":
      return made(kind, () => "and so on ".repeat(50_000));
    case "story":
      return made(kind, (plan) => `A story of ${plan.covered.length} entries.`);
    case "forgetful":
      return made(
        kind,
        () => "I forgot something.",
        (ids) => ids.slice(0, -1),
      );
    case "throws":
      return { route: kind, isPaid: true, write: () => Promise.reject(new Error("no connection")) };
    case "fails":
      return { route: kind, isPaid: true, write: () => ({ type: "failed", why: "refused", usage: paid }) };
    case "nothing":
      return { route: kind, isPaid: false, write: () => ({ type: "nothing" }) };
    case "overtaken":
      return made(kind, async () => {
        await session.append({ type: "message", message: { role: "user", content: "meanwhile", timestamp: 1 } });
        return "A story of what was before.";
      });
    case "left-behind":
      return made(kind, async (plan) => {
        await session.move(plan.window.entries[0]?.id ?? null);
        return "A story of another branch.";
      });
    case "hook-wrong-id":
      return hook(() => ({ compaction: { summary: "mine", firstKeptEntryId: "nobody" } }));
    case "hook-nonsense":
      return hook((() => ({ compaction: { summary: 7, firstKeptEntryId: [] } })) as unknown as BeforeCompact);
    case "hook-hangs":
      return hook(() => new Promise(() => {}));
    case "hook-own-cut":
      return hook(({ preparation: { window, kept } }) => {
        const at = Math.floor(window.entries.length / 2);
        return { compaction: { summary: "mine", firstKeptEntryId: window.entries[at]?.id ?? kept[0]?.id ?? "" } };
      });
  }
}

const hook = (answer: BeforeCompact): Writer => hookWriter(answer, { patience: soon });

// AbortSignal.timeout does not keep a process alive that waits for nothing else.
function soon(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 1);
  return controller.signal;
}

function made(
  route: string,
  story: (plan: Plan) => string | Promise<string>,
  chosen: (ids: readonly string[]) => readonly string[] = (ids) => ids,
): Writer {
  return {
    route,
    isPaid: true,
    async write(plan) {
      const covers = new Set(chosen(plan.covered.map(({ id }) => id)));
      const candidate: Candidate = { route, story: await story(plan), notes: "", covers, usage: paid };
      return { type: "written", candidate };
    },
  };
}
