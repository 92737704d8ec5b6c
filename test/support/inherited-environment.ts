/** What a program under test inherits: all but what says where the servers under test are, which looks like settings of `cluster` and is none. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TIDEMARK_CLUSTER_')))
}
