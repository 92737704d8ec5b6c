// The SQL engine's process with a planted bug: every third query finds no memory, including those of other callers. A rarer fault may miss the few of these.
const send = process.send.bind(process)
let queries = 0
process.send = (message, ...rest) => {
  if (message.kind === 'answer' && ++queries % 3 === 0) {
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
