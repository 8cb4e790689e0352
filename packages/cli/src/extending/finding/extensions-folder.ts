/** Where the user's extensions lie. Asked at every start, hence apart from the finding. */

import { join } from "node:path";

export function extensionsFolder(home: string): string {
  return join(home, "extensions");
}
