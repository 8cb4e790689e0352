/** `pnpm pictures [NAME …]`: the pictures of README and docs, drawn anew where what they show has changed. Needs Chromium. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageSize } from "./page.ts";
import { pictures } from "./pictures.ts";
import { marked, markOf } from "./png.ts";

const folder = join(import.meta.dirname, "../../../../../docs/pictures");
const wanted = process.argv.slice(2);

mkdirSync(folder, { recursive: true });
for (const picture of pictures) {
  if (wanted.length > 0 && !wanted.includes(picture.name)) continue;
  const file = join(folder, `${picture.name}.png`);
  const page = await picture.page();
  const digest = createHash("sha256").update(page).digest("hex");
  if (existsSync(file) && markOf(readFileSync(file)) === digest && wanted.length === 0) continue;
  writeFileSync(file, marked(drawn(page, picture), digest));
  console.log(`docs/pictures/${picture.name}.png`);
}

function drawn(page: string, { columns, rows }: { readonly columns: number; readonly rows: number }): Buffer {
  const place = mkdtempSync(join(tmpdir(), "pith-picture-"));
  try {
    const { width, height } = pageSize(columns, rows);
    writeFileSync(join(place, "page.html"), page);
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=2"];
    const size = [`--window-size=${width},${height}`, `--screenshot=${join(place, "page.png")}`];
    execFileSync("chromium", [...flags, ...size, `--user-data-dir=${place}`, `file://${join(place, "page.html")}`], {
      stdio: "ignore",
    });
    return readFileSync(join(place, "page.png"));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
