// Entry point of the engine's process.
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { ToSqlProcess } from '../protocol.ts'
import { QueryServer } from './serve-queries.ts'

/** From 0, the server's, to 19, the lowest priority. */
const niceness = 5

// The engine creates files for data that does not fit into its memory. Only this user may read them.
process.umask(0o077)
lowerPriority()
// A channel that accepts no more messages is about to close, which ends the process.
const server = new QueryServer(
  (message) => process.send?.(message, () => undefined),
  () => process.exit(1),
)
process.on('message', (message) => {
  // Only the engine's start can fail here. The server sees the process exit and starts it again.
  server.take(message as ToSqlProcess).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
// Without the server there are no more callers.
process.on('disconnect', () => process.exit(0))

/** Gives pushes and data queries priority: for the processor, and when the machine runs out of memory. */
function lowerPriority(): void {
  try {
    setPriority(niceness)
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not every system has or permits this. The process then runs with normal priority.
  }
}
