/** The first thing in a list that stood there before. */

export function twin<Each>(list: readonly Each[]): Each | undefined {
  const seen = new Set<Each>();
  return list.find((each) => {
    if (seen.has(each)) return true;
    seen.add(each);
    return false;
  });
}
