// The SQL engine's process with a planted bug: a query that holds the word "guilty" meets an internal error, after which the engine takes its database
// for broken and refuses all.
import { DuckDBConnection } from '@duckdb/node-api'

let isBroken = false
for (const name of ['stream', 'runAndReadAll']) {
  const original = DuckDBConnection.prototype[name]
  DuckDBConnection.prototype[name] = async function (text, ...rest) {
    if (isBroken)
      throw new Error('FATAL Error: Failed: database has been invalidated because of a previous fatal error.')
    isBroken = name === 'stream' && (text + rest).includes('guilty')
    if (isBroken)
      throw new Error('INTERNAL Error: Attempted to dereference unique_ptr that is NULL!\n\nStack Trace:\n/lib')
    return original.call(this, text, ...rest)
  }
}
await import('../../../src/sql-process/worker-side/entry.ts')
