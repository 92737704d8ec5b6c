// The SQL engine's process with a planted bug: what the engine says reaches the caller as it is.
const send = process.send.bind(process)
process.send = (message, ...rest) => {
  if (message.failure?.code === 'invalid_request')
    message.failure.message = 'Conversion Error: Could not convert string'
  return send(message, ...rest)
}
await import('../../../src/sql-process/worker-side/entry.ts')
