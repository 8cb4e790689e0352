/** Remembers the environment variables and the working folder. Returns what sets them back. */
export function saveEnvironment(): () => void {
  const variables = { ...process.env };
  const folder = process.cwd();
  return () => {
    process.chdir(folder);
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
  };
}
