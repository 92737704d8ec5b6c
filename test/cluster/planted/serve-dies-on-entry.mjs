// Serves with a planted bug: a judge that some rows end, wherever they stand.
import { Judge } from '../../../dist/ingest/judge.js'
import { serve } from '../../../dist/service/serve.js'
import { flagsOf } from '../../crash/planted/flags.mjs'

const { judge } = Judge.prototype
Judge.prototype.judge = function (...of) {
  const judged = judge.apply(this, of)
  const texts = [...judged.rejected.map(({ row }) => row), ...(judged.batch?.columns ?? []).flatMap(textsOf)]
  if (texts.includes('throws')) throw new Error('the judge was told to throw')
  return judged
}

function textsOf({ type, codes, dictionary }) {
  return type === 'string' ? [...codes].filter((code) => code >= 0).map((code) => dictionary[code]) : []
}

process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides: {} })
