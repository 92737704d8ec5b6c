// Numbers written for people, and texts that were encoded.

import { bind } from '../../lib/bind-sql.ts'
import { type ReadableForm, readableNumber } from '../../lib/readable-number.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { nullValue, type Typed, textValue, toLong, toText } from '../values/typed.ts'
import { type Call, type ExpressionFunction, type FunctionTable, literalWhole } from './call.ts'

const readable = (form: ReadableForm): ExpressionFunction => ({
  args: [1, 2],
  compile: ([value]: readonly Typed[], call: Call) => {
    const precision = call.literal(1) === null ? 2 : literalWhole(call, 1, 'precision')
    if (precision < 0 || precision > 3) return call.refuse('the precision must be 0 to 3')
    if (value!.type === null) return nullValue
    if (value!.type === 'STRING') return call.refuse('the first argument must be a number')
    return textValue(readableNumber(toLong(value!), form, precision))
  },
})

export const formatFunctions = {
  human_readable_binary_byte_format: readable({ base: 1024, plain: ' B', unit: 'iB' }),
  human_readable_decimal_byte_format: readable({ base: 1000, plain: ' B', unit: 'B' }),
  human_readable_decimal_format: readable({ base: 1000, plain: '', unit: '' }),
  decode_base64_utf8: {
    args: [1, 1],
    compile: ([text]) => {
      if (text!.type === null) return nullValue
      // The signs at the end, which fill up the last four characters, may be left out.
      const padded = (x: Sql): Sql =>
        sql`decode(from_base64(rpad(${x}, CAST((length(${x}) + 3) // 4 * 4 AS INTEGER), '=')))`
      return textValue(bind(toText(text!), padded))
    },
  },
} as const satisfies FunctionTable
