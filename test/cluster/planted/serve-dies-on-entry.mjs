// Serves with a planted bug: a validator that some rows end, wherever they stand.
import { RowValidator } from '../../../src/ingest/row-validator.ts'
import { serve } from '../../../src/service/serve.ts'
import { flagsOf } from '../../crash/planted/flags.mjs'

const { validator } = RowValidator.prototype
RowValidator.prototype.validator = function (...of) {
  const validated = validator.apply(this, of)
  const texts = [...validated.rejected.map(({ row }) => row), ...(validated.batch?.columns ?? []).flatMap(textsOf)]
  if (texts.includes('throws')) throw new Error('the validator was told to throw')
  return validated
}

function textsOf({ type, codes, dictionary }) {
  return type === 'string' ? [...codes].filter((code) => code >= 0).map((code) => dictionary[code]) : []
}

process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides: {} })
