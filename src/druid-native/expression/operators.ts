// The operators of Druid's expression language on typed SQL.

import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { listKey } from '../values/ordering.ts'
import { concatenated, widthOfAll } from '../values/text-room.ts'
import {
  convert,
  divideDoubles,
  doubleValue,
  elementOf,
  longValue,
  type NativeType,
  nullValue,
  powerOf,
  type Typed,
  textToDouble,
  textValue,
  toDouble,
  toLong,
  toText,
  truthValue,
  wrapLong,
} from '../values/typed.ts'
import { ExpressionError } from './error.ts'
import type { BinaryOperator } from './syntax.ts'

/** Whether a value counts as true: numbers above 0, and the text "true". Null stays null. */
export function truthOf(value: Typed): Sql {
  if (value.condition !== undefined) return value.condition
  switch (value.type) {
    case 'STRING':
      return sql`(lower(${value.sql}) = 'true')`
    case 'LONG':
    case 'DOUBLE':
    case 'FLOAT':
      return sql`(${value.sql} > 0)`
    case null:
      return sql`CAST(NULL AS BOOLEAN)`
    default: {
      // The text of a single element tells what it is; arrays of more, and of none, are never true.
      const text = toText(value)
      return bind(text, (x) => sql`(lower(${x}) = 'true' OR coalesce(${textToDouble(x)} > 0, FALSE))`)
    }
  }
}

export function compileUnary(operator: '-' | '!', operand: Typed): Typed {
  if (operator === '!') return operand.type === null ? nullValue : truthValue(sql`(NOT ${truthOf(operand)})`)
  if (elementOf(operand.type) !== null) throw new ExpressionError('"-" takes a number, not an array')
  switch (operand.type) {
    case null:
      return nullValue
    case 'LONG':
      return longValue(wrapLong(sql`(-CAST(${operand.sql} AS HUGEINT))`))
    case 'STRING':
      throw new ExpressionError('"-" takes a number, not a text')
    default:
      return doubleValue(sql`(-${toDouble(operand)})`)
  }
}

const comparisons: ReadonlyMap<string, Sql> = new Map<string, Sql>([
  ['<', sql`<`],
  ['<=', sql`<=`],
  ['>', sql`>`],
  ['>=', sql`>=`],
  ['==', sql`=`],
  ['!=', sql`<>`],
])

const isText = ({ type }: Typed): boolean => type === 'STRING' || type === 'COMPLEX<json>'

/** The type two operands are brought to. */
function common(left: Typed, right: Typed): NativeType {
  if (isText(left) && isText(right)) return 'STRING'
  return left.type === 'LONG' && right.type === 'LONG' ? 'LONG' : 'DOUBLE'
}

export function compileBinary(operator: BinaryOperator, left: Typed, right: Typed): Typed {
  if (operator === '&&') return truthValue(sql`(${truthOf(left)} AND ${truthOf(right)})`)
  if (operator === '||') return truthValue(sql`(${truthOf(left)} OR ${truthOf(right)})`)
  if (left.type === null || right.type === null) return nullOf(operator, left, right)
  const comparison = comparisons.get(operator)
  const isJson = left.type === 'COMPLEX<json>' || right.type === 'COMPLEX<json>'
  if (isJson && comparison === undefined)
    throw new ExpressionError(
      `"${operator}" on JSON whose type is not told, as json_value(x, '$.a', 'LONG') tells it,`,
      true,
    )
  if (elementOf(left.type) !== null && elementOf(right.type) !== null && comparison !== undefined)
    return compareArrays(comparison, left, right)
  const type = common(left, right)
  if (comparison !== undefined) {
    const as = type === 'STRING' ? toText : type === 'LONG' ? toLong : toDouble
    return truthValue(sql`(${as(left)} ${comparison} ${as(right)})`)
  }
  if (type === 'STRING') {
    if (operator !== '+') throw new ExpressionError(`"${operator}" takes numbers, not texts`)
    const width = widthOfAll([left, right])
    return textValue(concatenated([left.sql, right.sql], width), width)
  }
  return type === 'LONG'
    ? longArithmetic(operator, left.sql, right.sql)
    : doubleArithmetic(operator, toDouble(left), toDouble(right))
}

/** Element by element, in the type that both have room for. */
function compareArrays(comparison: Sql, left: Typed, right: Typed): Typed {
  const types = [elementOf(left.type), elementOf(right.type)]
  const type = types.includes('STRING') ? 'STRING' : types.includes('DOUBLE') ? 'DOUBLE' : 'LONG'
  const key = (value: Typed): Sql => listKey(convert(value, `ARRAY<${type}>`).sql)
  return truthValue(sql`(${key(left)} ${comparison} ${key(right)})`)
}

/** Nothing comes of a null, but the null has a type. */
function nullOf(operator: BinaryOperator, left: Typed, right: Typed): Typed {
  if (comparisons.has(operator)) return longValue(sql`CAST(NULL AS BIGINT)`)
  const type = left.type ?? right.type
  if (type === null) return nullValue
  return type === 'STRING'
    ? textValue(sql`CAST(NULL AS VARCHAR)`)
    : type === 'LONG'
      ? longValue(sql`CAST(NULL AS BIGINT)`)
      : doubleValue(sql`CAST(NULL AS DOUBLE)`)
}

/** What a division by zero is told with; the runner makes a 400 of it. */
const divisionByZero = sql`CAST(${failing('a long is divided by zero')} AS BIGINT)`

function longArithmetic(operator: BinaryOperator, left: Sql, right: Sql): Typed {
  switch (operator) {
    case '+':
    case '-':
    case '*': {
      const sign = operator === '+' ? sql`+` : operator === '-' ? sql`-` : sql`*`
      return longValue(
        bind2(
          left,
          right,
          (x, y) => sql`coalesce(TRY(${x} ${sign} ${y}), ${wrapLong(sql`(CAST(${x} AS HUGEINT) ${sign} ${y})`)})`,
        ),
      )
    }
    case '/':
      return longValue(divideLongs(left, right))
    case '%':
      return longValue(
        bind2(
          left,
          right,
          (x, y) => sql`CASE WHEN ${y} = 0 THEN ${divisionByZero} WHEN ${y} = -1 THEN ${x} * 0 ELSE ${x} % ${y} END`,
        ),
      )
    default:
      return longValue(
        bind2(
          left,
          right,
          (x, y) => sql`CASE WHEN ${y} < 0 THEN CAST(${failing('a long is raised to a power below zero')} AS BIGINT)
        WHEN ${x} IS NOT NULL AND ${y} >= 0 THEN coalesce(TRY(CAST(CAST(pow(${x}, ${y}) AS HUGEINT) AS BIGINT)), 0) END`,
        ),
      )
  }
}

export function divideLongs(left: Sql, right: Sql): Sql {
  return bind2(
    left,
    right,
    (x, y) =>
      sql`CASE WHEN ${y} = 0 THEN ${divisionByZero} WHEN ${y} = -1 THEN ${wrapLong(sql`(-CAST(${x} AS HUGEINT))`)} ELSE ${x} // ${y} END`,
  )
}

function doubleArithmetic(operator: BinaryOperator, left: Sql, right: Sql): Typed {
  switch (operator) {
    case '/':
      return doubleValue(divideDoubles(left, right))
    case '%':
      return doubleValue(
        bind2(
          left,
          right,
          (
            x,
            y,
          ) => sql`CASE WHEN ${y} = 0 THEN ${x} * ${sql.double(Number.NaN)} WHEN isfinite(${x}) AND isfinite(${y}) THEN ${x} % ${y}
            WHEN isfinite(${x}) AND isinf(${y}) THEN ${x} ELSE ${x} * ${y} * ${sql.double(Number.NaN)} END`,
        ),
      )
    case '^':
      return doubleValue(powerOf(left, right))
    default:
      return doubleValue(sql`(${left} ${operator === '+' ? sql`+` : operator === '-' ? sql`-` : sql`*`} ${right})`)
  }
}
