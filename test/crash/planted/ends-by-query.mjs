// The SQL engine's process with a planted bug: a query that asks for a part of a time ends it.
await import('../../../src/sql-process/worker-side/entry.ts')
process.on('message', ({ kind, query, body }) => {
  const text = kind === 'run' ? query.text : kind === 'native' ? new TextDecoder().decode(body) : ''
  if (/date_part|timestamp_extract/.test(text)) process.kill(process.pid, 'SIGSEGV')
})
