/** What tells the tests what to do, looks like a setting, and is none. */
const ofTests = /^TIDEMARK_(CLUSTER_|REPLICA_ROUNDS$)/

/** What a program under test inherits. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTests.test(name)))
}
