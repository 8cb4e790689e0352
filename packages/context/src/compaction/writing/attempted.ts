/** What becomes of work that may fail or be aborted: a value in every case, and at once when it is aborted. */

export type Attempted<Value> =
  | { readonly type: "done"; readonly value: Value }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly why: string };

export async function attempted<Value>(
  work: () => Promise<Value> | Value,
  signals: readonly (AbortSignal | undefined)[],
): Promise<Attempted<Value>> {
  const signal = AbortSignal.any(signals.filter((each) => each !== undefined));
  if (signal.aborted) return { type: "aborted" };
  let stop = (): void => {};
  const aborted = new Promise<Attempted<Value>>((resolve) => {
    stop = () => resolve({ type: "aborted" });
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([done(work), aborted]);
  } catch (error) {
    return { type: "failed", why: error instanceof Error ? error.message : String(error) };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function done<Value>(work: () => Promise<Value> | Value): Promise<Attempted<Value>> {
  return { type: "done", value: await work() };
}
