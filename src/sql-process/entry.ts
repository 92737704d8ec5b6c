// What the process runs.
import type { ToSqlProcess } from './messages.ts'
import { QueryServer } from './serve-queries.ts'

const server = new QueryServer((message) => process.send?.(message))
process.on('message', (message) => {
  // What fails here is the engine's start: the server sees the process end, and starts it again.
  server.take(message as ToSqlProcess).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
// Without the server there is nobody to answer.
process.on('disconnect', () => process.exit(0))
