// The SQL engine's process with a planted bug: what the engine refuses counts as a failure of the service.
const send = process.send.bind(process)
process.send = (message, ...rest) => {
  if (message.failure?.code === 'invalid_request') message.failure.code = null
  return send(message, ...rest)
}
await import('../../../src/sql-process/worker-side/entry.ts')
