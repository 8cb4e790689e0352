/** Lines for a program that reads the standard output: as fast as it reads them, and none once it has left. */

export interface Lines {
  /** A promise where whoever reads is slow: it ends when there is room again, or when nobody reads any more. */
  write(line: string): Promise<void> | undefined;
  /** Everything is written, or nobody reads any more; what else went wrong, or null. */
  flushed(): Promise<string | null>;
  /** Called when whoever reads has left. */
  onLeft(act: () => void): void;
  readonly hasLeft: boolean;
}

export function linesTo(stream: NodeJS.WritableStream): Lines {
  let fault: NodeJS.ErrnoException | null = null;
  let room: PromiseWithResolvers<void> | null = null;
  const leaving: (() => void)[] = [];
  const free = (): void => {
    room?.resolve();
    room = null;
  };
  stream.on("drain", free);
  stream.on("error", (error: NodeJS.ErrnoException) => {
    fault ??= error;
    free();
    for (const act of leaving.splice(0)) act();
  });
  return {
    write: (line) => {
      if (fault || stream.write(line)) return undefined;
      room ??= Promise.withResolvers();
      return room.promise;
    },
    flushed: async () => {
      if (!fault) await new Promise<void>((resolve) => stream.write("", () => resolve()));
      return fault && fault.code !== "EPIPE" ? `the lines could not be written: ${fault.message}` : null;
    },
    onLeft: (act) => void leaving.push(act),
    get hasLeft() {
      return fault?.code === "EPIPE";
    },
  };
}
