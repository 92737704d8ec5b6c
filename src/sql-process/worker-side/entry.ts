// What the process runs.
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { ToSqlProcess } from '../protocol.ts'
import { QueryServer } from './serve-queries.ts'

/** Of 0, the server's, to 19, the least. */
const niceness = 5

// The engine makes files of its own, for what does not fit into its memory.
process.umask(0o077)
standBack()
// A channel that takes nothing more is about to close, which ends the process.
const server = new QueryServer(
  (message) => process.send?.(message, () => undefined),
  () => process.exit(1),
)
process.on('message', (message) => {
  // What fails here is the engine's start: the server sees the process end, and starts it again.
  server.take(message as ToSqlProcess).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
// Without the server there is nobody to answer.
process.on('disconnect', () => process.exit(0))

/** Pushes and data queries come first: for the processor, and when the machine runs out of memory. */
function standBack(): void {
  try {
    setPriority(niceness)
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not every system has it, or allows it; then the process is one among others.
  }
}
