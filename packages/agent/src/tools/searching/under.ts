/** The path of something found in a folder, so that the next call can use it as it stands. */

export function under(folder: string, found: string): string {
  return folder === "." || folder === "./" ? found : `${folder.replace(/\/+$/, "")}/${found}`;
}
