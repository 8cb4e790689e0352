/** Absolute paths, compared name by name. */

/** Whether a path is the folder itself or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** From the folder where it lies inside, else as it is. */
export function shownFrom(folder: string, path: string): string {
  return path !== folder && isWithin(folder, path) ? path.slice(folder.length).replace(/^\//, "") : path;
}
