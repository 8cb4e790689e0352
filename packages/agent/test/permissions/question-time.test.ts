/** Tests which permission questions may be answered later, and how long the others wait for their answer. */

import { describe, expect, test } from "vitest";
import type { AuditRecord } from "../../src/permissions/audit.ts";
import { Permissions, type PermissionsOptions } from "../../src/permissions/permissions.ts";
import type { AskPermission, PermissionQuestion } from "../../src/permissions/question.ts";
import { act, command, connected, permissionPaths, realPath } from "../support/permission-requests.ts";

const { signal } = new AbortController();

function audited(parts: Partial<PermissionsOptions>) {
  const records: AuditRecord[] = [];
  const audit = (record: AuditRecord): void => void records.push(record);
  const permissions = new Permissions({
    ...{ mode: "ask", paths: permissionPaths, resolveRealPath: realPath, audit, ...parts },
  });
  return { permissions, records };
}

describe("PERM40 a question about a call that has not started", () => {
  test("may be answered later: nothing is recorded, and the next question is asked", async () => {
    const questions: PermissionQuestion[] = [];
    const { permissions, records } = audited({
      ask: async (question) => {
        questions.push(question);
        return { type: "later" };
      },
    });
    const recorded = { callId: "c1", entry: 7, arguments: {} };
    const both = [act(command("make"), { recorded }), act(command("make test"), { recorded })].map((request) =>
      permissions.permit(request, { signal, mayAnswerLater: true }),
    );
    expect(await Promise.all(both)).toEqual([{ type: "later" }, { type: "later" }]);
    expect(questions).toMatchObject([
      { callId: "c1", entry: 7, text: expect.stringContaining("`make`") },
      { callId: "c1", entry: 7, text: expect.stringContaining("`make test`") },
    ]);
    expect(records).toEqual([]);
    expect(permissions.describeState()).toBe("mode ask");
  });

  test("has no time limit", async () => {
    const { permissions } = audited({
      commandQuestionTimeoutMs: 1,
      ask: async () => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        return { type: "yes" };
      },
    });
    const result = await permissions.permit(act(command("make")), { signal, mayAnswerLater: true });
    expect(result.type).toBe("permitted");
  });
});

describe("PERM41 a question of a running command", () => {
  test("cannot be answered later: it counts as a no", async () => {
    const asked: boolean[] = [];
    const questions: PermissionQuestion[] = [];
    const { permissions, records } = audited({
      ask: async (question, { mayAnswerLater }) => {
        asked.push(mayAnswerLater);
        questions.push(question);
        return { type: "later" };
      },
    });
    expect(await permissions.permit(act(connected("example.com")), { signal })).toEqual({
      type: "refused",
      why: "not permitted: the question was not answered while the command was running",
    });
    expect(asked).toEqual([false]);
    expect(questions[0]).not.toHaveProperty("callId");
    expect(records).toEqual([expect.objectContaining({ decision: "refused", by: "unattended", because: "mode" })]);
  });

  /** Never answers, or answers no when the question is withdrawn, as a prompt on a screen does. */
  const prompts: readonly (readonly [string, (asking: AbortSignal) => ReturnType<AskPermission>])[] = [
    ["that never answers", () => new Promise(() => {})],
    [
      "that answers when it is closed",
      (asking) => new Promise((resolve) => asking.addEventListener("abort", () => resolve({ type: "no" }))),
    ],
  ];

  test.each(prompts)("expires, which closes a prompt %s, and the next question is asked", async (_, ask) => {
    const signals: AbortSignal[] = [];
    const { permissions, records } = audited({
      commandQuestionTimeoutMs: 5,
      ask: (_question, asking) => {
        signals.push(asking.signal);
        return ask(asking.signal);
      },
    });
    const why = "not permitted: the question was not answered within 5 milliseconds";
    const hosts = ["example.com", "example.org"].map((host) => permissions.permit(act(connected(host)), { signal }));
    expect(await Promise.all(hosts)).toEqual([
      { type: "refused", why },
      { type: "refused", why },
    ]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    const record = { decision: "refused", by: "timeout", because: "mode" };
    expect(records).toEqual([expect.objectContaining(record), expect.objectContaining(record)]);
  });

  test("that is answered in time is decided by the answer", async () => {
    const { permissions } = audited({ commandQuestionTimeoutMs: 60_000, ask: async () => ({ type: "yes" }) });
    expect((await permissions.permit(act(connected("example.com")), { signal })).type).toBe("permitted");
  });

  test("that is withdrawn by an abort is reported as cancelled, not as expired", async () => {
    const stopping = new AbortController();
    const { permissions, records } = audited({
      commandQuestionTimeoutMs: 60_000,
      ask: () => {
        stopping.abort();
        return new Promise(() => {});
      },
    });
    expect(await permissions.permit(act(connected("example.com")), { signal: stopping.signal })).toMatchObject({
      why: expect.stringContaining("cancelled"),
    });
    await expect.poll(() => records).toEqual([expect.objectContaining({ by: "stopped" })]);
  });
});
