// The SQL engine's process with a planted bug: every tenth query finds no memory, whoever asks.
const send = process.send.bind(process)
let queries = 0
process.send = (message, ...rest) => {
  if (message.kind === 'answer' && ++queries % 10 === 0) {
    const failure = {
      code: 'result_too_large',
      message: 'planted',
      errors: undefined,
      isOverflow: false,
      isOutOfMemory: false,
      damagedPath: null,
      engineWords: null,
    }
    return send({ kind: 'failed', id: message.id, failure }, ...rest)
  }
  return send(message, ...rest)
}
await import('../../../src/sql-process/worker-side/entry.ts')
