/** Faults of the context package: lines that prevent them, what stands there without them, and the test that must then fail. */

import type { FixedFault } from "../fixed-faults.ts";

export const contextFaults: readonly FixedFault[] = [
  {
    fault: "after an undo and a new compaction, the threshold was still ignored",
    file: "packages/context/src/compaction/undo.ts",
    search: "if (undoIndex === -1 || undoIndex < branch.compactionIndex) return false;",
    replace: "if (undoIndex === -1) return false;",
    test: "packages/context/test/compaction/edge-cases.test.ts",
    title: "UNDO1 UNDO2 a compaction that keeps the record of an undo ends it",
  },
  {
    fault: "a redo left the compaction that was made after the undo",
    file: "packages/context/src/compaction/undo.ts",
    search: "Object(index > newestChangeIndex(branch) && undo",
    replace: "Object(undo",
    test: "packages/context/test/compaction/edge-cases.test.ts",
    title: "UNDO1 UNDO2 a compaction that keeps the record of an undo ends it",
  },
  {
    fault: "a redo left the removal of outdated results that was made after the undo",
    file: "packages/context/src/compaction/undo.ts",
    search: "Object(index > newestChangeIndex(branch) && undo",
    replace: "Object(index > branch.compactionIndex && undo",
    test: "packages/context/test/compaction/elide.test.ts",
    title: "ELI8 UNDO1 after an undo, a new removal leaves nothing to redo",
  },
  {
    fault: "an undo moved away from a message that arrived meanwhile",
    file: "packages/context/src/compaction/undo.ts",
    search: "{ data, expectedLeaf: leaf }",
    replace: "{ data }",
    test: "packages/context/test/compaction/edge-cases.test.ts",
    title: "UNDO1 %s is refused if a message arrives meanwhile",
  },
  {
    fault: "a redo moved away from a message that arrived meanwhile",
    file: "packages/context/src/compaction/undo.ts",
    search: "session.move(from, { expectedLeaf: leaf })",
    replace: "session.move(from)",
    test: "packages/context/test/compaction/edge-cases.test.ts",
    title: "UNDO1 %s is refused if a message arrives meanwhile",
  },
  {
    fault: "a redo threw if its target was lost from the file",
    file: "packages/context/src/compaction/undo.ts",
    search: " || !(await session.store.entry(from)))",
    replace: ")",
    test: "packages/context/test/compaction/edge-cases.test.ts",
    title: "UNDO1 if a line of the file is lost",
  },
];
