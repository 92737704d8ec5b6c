/** Environment variables that control the tests. They look like settings of the service but are not. */
const ofTests = /^TIDEMARK_(CLUSTER_|REPLICA_ROUNDS$)/

/** The environment that a program under test inherits. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTests.test(name)))
}
