// Expressions that are true, false or null: comparisons, IN, LIKE, BETWEEN, and their combinations.

import { likeForm } from '../../druid-patterns/like.ts'
import type { ComparisonOperator } from '../../lib/comparison-operator.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { onceEach, withoutRepeating, withoutRepeats } from '../functions/text-limits.ts'
import { type Place, sqlProblem } from '../parse/sql-problem.ts'
import type { Expression } from '../parse/syntax.ts'
import { columnAmong, columnBetween, comparedColumn } from './column-filters.ts'
import { comparedAs, requireComparable } from './comparable.ts'
import { as, castText, constantOf } from './conversions.ts'
import { columnText, plainInteger } from './engine-names.ts'
import { asValue, bindCondition, type ExpressionContext } from './expression-context.ts'
import { conjunction, disjunction, type IsOptions, is, not } from './logic.ts'
import { arrayOrder } from './order.ts'
import { type Bound, called, engineFunction, literal, type QuerySemantics } from './tree.ts'
import { boolean, isSame, string } from './types.ts'

type Kind = 'comparison' | 'logical' | 'not' | 'is' | 'distinctFrom' | 'between' | 'inList' | 'inQuery' | 'like'
/** Syntax whose value is true, false or null. */
export type Truth = Extract<Expression, { kind: Kind }>

export const comparisons = {
  '=': sql`=`,
  '<>': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
} as const

export interface ComparisonOptions {
  readonly operator: ComparisonOperator
  /** Whether the comparison selects rows. Times of entities are then compared as the files store them. */
  readonly isFilter: boolean
}

/** The operands are not converted yet: the type of the comparison follows from their types. */
export const comparison = engineFunction<ComparisonOptions>(
  ([x, y], { operands: [left, right], options: { operator, isFilter } }, meaning) => {
    const isOrder = operator !== '=' && operator !== '<>'
    const [a, b] = comparedTexts(left!, right!, [x!, y!], isOrder, isFilter, meaning)
    return sql`(${a} ${comparisons[operator]} ${b})`
  },
)

function comparedTexts(
  left: Bound,
  right: Bound,
  [x, y]: readonly [Sql, Sql],
  isOrder: boolean,
  isFilter: boolean,
  { zone }: QuerySemantics,
): readonly [Sql, Sql] {
  const type = comparedAs(left, right)
  const [a, b] = [castText(left, x, type, zone), castText(right, y, type, zone)]
  if (isOrder && type.kind === 'array') return [arrayOrder(a), arrayOrder(b)]
  const isOfFiles = fileTime(left) !== undefined || fileTime(right) !== undefined
  return isFilter && isOfFiles ? [inFile(left, a), inFile(right, b)] : [a, b]
}

const fileTime = (node: Bound) => (node.kind === 'column' ? node.inFiles : undefined)

function inFile(node: Bound, text: Sql): Sql {
  const at = fileTime(node)
  return at === undefined ? sql`make_timestamptz(epoch_us(${text}))` : columnText(at)
}

/** Binds an expression whose value is true, false or null. */
export function bindTruth(expression: Truth, context: ExpressionContext): Bound {
  const { place } = expression
  const { isDruidFilter } = context
  const inner = asValue(context)
  const bind = (operand: Expression): Bound => context.bind(operand, inner)
  switch (expression.kind) {
    case 'comparison': {
      const [left, right] = [bind(expression.left), bind(expression.right)]
      const { operator } = expression
      const filter = isDruidFilter ? comparedColumn(left, operator, right, place) : null
      return filter ?? compared(place, left, operator, right, context)
    }
    case 'logical': {
      const items = expression.items.map((item) => bindCondition(item, context, `an operand of ${expression.operator}`))
      return called(place, boolean, expression.operator === 'AND' ? conjunction : disjunction, items)
    }
    case 'not':
      return not(bindCondition(expression.operand, { ...context, isPart: false }, 'the operand of NOT'), place)
    case 'is': {
      const { what, negated } = expression
      const within = what === 'UNKNOWN' ? inner : { ...context, isPart: false }
      const operand =
        what === 'NULL'
          ? bind(expression.operand)
          : bindCondition(expression.operand, within, `the operand of IS ${what}`)
      const isWrittenAsTrue = (what === 'NULL' || what === 'UNKNOWN') && !negated && needsIsTrue(context)
      return is(operand, { what: what === 'UNKNOWN' ? 'NULL' : what, negated, isWrittenAsTrue }, place)
    }
    case 'distinctFrom': {
      const [left, right] = [bind(expression.left), bind(expression.right)]
      const filter = isDruidFilter ? comparedColumn(left, '=', right, place) : null
      const { negated } = expression
      if (filter !== null) return is(filter, { what: 'TRUE', negated: !negated, isWrittenAsTrue: false }, place)
      requireComparable(left, right)
      return called(place, boolean, different, [left, right], {
        negated,
        isWrittenAsTrue: !negated || needsIsTrue(context),
      })
    }
    case 'between':
      return bindBetween(expression, context)
    case 'inList':
      return bindInList(expression, context)
    case 'inQuery':
      return bindInQuery(expression, context)
    case 'like':
      return bindLike(expression, context)
    default:
      return expression satisfies never
  }
}

export function compared(
  place: Place,
  left: Bound,
  operator: ComparisonOperator,
  right: Bound,
  { isFilter }: Pick<ExpressionContext, 'isFilter'>,
): Bound {
  requireComparable(left, right)
  return called(place, boolean, comparison, [left, right], { operator, isFilter })
}

/**
 * A condition that is never unknown gets IS TRUE, so that the engine's optimizer leaves it unchanged. Without it, next to another comparison of x, the
 * optimizer drops the nulls of `x IS DISTINCT FROM 5` (duckdb#25992), and treats `a = b OR a IS NULL AND b IS NULL` as false where it is unknown
 * (duckdb#23685). In a part of WHERE or ON the latter makes no difference, and the engine joins by such conditions.
 */
const needsIsTrue = ({ isFilter, isPart }: ExpressionContext): boolean => !(isFilter && isPart)

export const different = engineFunction<Pick<IsOptions, 'negated' | 'isWrittenAsTrue'>>(
  ([x, y], { operands: [left, right], options: { negated, isWrittenAsTrue } }, { zone }) => {
    const type = comparedAs(left!, right!)
    const is = sql`(${castText(left!, x!, type, zone)} IS ${negated ? sql`NOT ` : sql``}DISTINCT FROM ${castText(right!, y!, type, zone)})`
    return isWrittenAsTrue ? sql`(${is} IS TRUE)` : is
  },
)

export interface BetweenOptions extends Pick<ComparisonOptions, 'isFilter'> {
  readonly symmetric: boolean
}

export const within = engineFunction<BetweenOptions>(
  (texts, { operands: [operand, from, to], options: { symmetric, isFilter } }, meaning) =>
    withoutRepeats(texts, (x, low, high) => {
      const [above, least] = comparedTexts(operand!, from!, [x, low], true, isFilter, meaning)
      const [below, most] = comparedTexts(operand!, to!, [x, high], true, isFilter, meaning)
      const between = sql`(${above} >= ${least} AND ${below} <= ${most})`
      return symmetric ? sql`(${between} OR (${above} <= ${least} AND ${below} >= ${most}))` : between
    }),
)

function bindBetween(expression: Extract<Expression, { kind: 'between' }>, context: ExpressionContext): Bound {
  const { place, symmetric } = expression
  const inner = asValue(context)
  const operand = context.bind(expression.operand, inner)
  const ends = [context.bind(expression.low, inner), context.bind(expression.high, inner)] as const
  const filter = context.isDruidFilter && !symmetric ? columnBetween(operand, ends, place) : null
  if (filter === null) for (const end of ends) requireComparable(operand, end)
  const { isFilter } = context
  const inside = filter ?? called(place, boolean, within, [operand, ...ends], { symmetric, isFilter })
  return expression.negated ? not(inside, place) : inside
}

export interface ListOptions {
  readonly negated: boolean
}

/** The operands are a value and the items of the list. */
export const listed = engineFunction<ListOptions>((texts, { operands, options }, { zone }) => {
  const [operand, ...items] = operands
  const negation = options.negated ? sql`NOT ` : sql``
  const types = items.map((item) => comparedAs(operand!, item))
  if (types.every((type) => isSame(type, types[0]!))) {
    const among = items.map((item, index) => castText(item, texts[1 + index]!, types[index]!, zone))
    return sql`(${castText(operand!, texts[0]!, types[0]!, zone)} ${negation}IN (${sql.list(among)}))`
  }
  // Items of different types are compared one by one, each in its own type.
  return withoutRepeating(texts[0]!, texts.slice(1), (x, others) => {
    const equal = items.map((item, index) => {
      const type = types[index]!
      return sql`(${castText(operand!, x, type, zone)} = ${castText(item, others[index]!, type, zone)})`
    })
    return sql`(${negation}(${sql.join(equal, ' OR ')}))`
  })
})

function bindInList(expression: Extract<Expression, { kind: 'inList' }>, context: ExpressionContext): Bound {
  const { place, negated } = expression
  const inner = asValue(context)
  const operand = context.bind(expression.operand, inner)
  const written = expression.items.map((item) => context.bind(item, inner))
  checkTruths(operand, written, place)
  const items = alike(operand, written)
  const filter = context.isDruidFilter ? filterAmong(operand, items, place) : null
  if (filter !== null) return negated ? not(filter, place) : filter
  for (const item of items) requireComparable(operand, item)
  return called(place, boolean, listed, [operand, ...items], { negated })
}

/** A filter by the constants of a list; its other items are compared one by one. Null where Druid makes no filter of the list. */
function filterAmong(operand: Bound, items: readonly Bound[], place: Place): Bound | null {
  const isConstant = (item: Bound): boolean => constantOf(item) !== undefined
  const others = items.filter((item) => !isConstant(item))
  const constants = items.filter(isConstant)
  const among = constants.length === 0 ? null : columnAmong(operand, constants, place)
  if (among === null || others.length === 0) return among
  const equal = others.map((item) => compared(place, operand, '=', item, { isFilter: false }))
  return called(place, boolean, disjunction, [among, ...equal])
}

/** Druid has no common type for truth values next to numbers in a list, or for truth values among which a number is looked for. */
function checkTruths(operand: Bound, items: readonly Bound[], place: Place): void {
  const has = (...kinds: readonly string[]): boolean => items.some(({ type }) => kinds.includes(type.kind))
  if (!has('boolean')) return
  const isOfNumber = operand.type.kind === 'long' || operand.type.kind === 'double'
  if (isOfNumber || (has('long', 'double') && !has('string', 'null')))
    throw sqlProblem(place, 'the values after IN have incompatible types: write 1 for TRUE and 0 for FALSE')
}

/** If a text is looked for in a list with texts or an untyped NULL, the numbers in the list become texts, and truth values become '1' and '0'. */
function alike(operand: Bound, items: readonly Bound[]): readonly Bound[] {
  const areTexts = items.some(({ type }) => type.kind === 'string' || type.kind === 'null')
  if (operand.type.kind !== 'string' || !areTexts) return items
  const isNumber = ({ type }: Bound): boolean => type.kind === 'long' || type.kind === 'double'
  return items.map((item) => {
    const constant = constantOf(item)
    if (typeof constant === 'boolean') return literal(item.place, string, constant ? '1' : '0')
    return isNumber(item) ? as(item, string) : item
  })
}

function bindInQuery(expression: Extract<Expression, { kind: 'inQuery' }>, context: ExpressionContext): Bound {
  const { place, negated } = expression
  const operand = context.bind(expression.operand, asValue(context))
  const query = context.subquery(expression.query, context.scope)
  if (query.columns.length !== 1)
    throw sqlProblem(place, `the query after IN must have one column, not ${query.columns.length}`)
  const at = { relation: 0, column: 0 }
  const item: Bound = { kind: 'column', at, name: '', type: query.columns[0]!.type, place: expression.query.place }
  requireComparable(operand, item)
  return { kind: 'query', type: boolean, place, query, sought: { operand, item, negated } }
}

export interface LikeOptions {
  readonly escapedBy: string | null
}

/** The operands are a text and a pattern. */
export const like = engineFunction<LikeOptions>(([text, pattern], { operands, options: { escapedBy } }) => {
  const constant = constantOf(operands[1]!)
  if (typeof constant !== 'string') return likePattern(text!, pattern!, escapedBy)
  const form = likeForm(constant, escapedBy)
  return form.kind === 'like'
    ? sql`(${text!} LIKE ${sql.literal(form.pattern)})`
    : sql`regexp_full_match(${text!}, ${sql.literal(form.pattern)})`
})

function bindLike(expression: Extract<Expression, { kind: 'like' }>, context: ExpressionContext): Bound {
  const { place } = expression
  const inner = asValue(context)
  const operand = as(context.bind(expression.operand, inner), string)
  const pattern = as(context.bind(expression.pattern, inner), string)
  const escapedBy = escapeOf(expression, context)
  const known = constantOf(pattern)
  if (typeof known === 'string' && known.length > patternMax && likeForm(known, escapedBy).kind !== 'like')
    throw sqlProblem(place, tooLong)
  const found = called(place, boolean, like, [operand, pattern], { escapedBy })
  return expression.negated ? not(found, place) : found
}

function escapeOf(expression: Extract<Expression, { kind: 'like' }>, context: ExpressionContext): string | null {
  if (expression.escape === null) return null
  const escapedBy = context.bind(expression.escape, context)
  const constant = constantOf(escapedBy)
  if (typeof constant === 'string' && [...constant].length === 1) return constant
  throw sqlProblem(escapedBy.place, 'the ESCAPE of LIKE must be one character in single quotes')
}

/** The longest pattern with both % and _: it is tried at each position of a text. */
const patternMax = 1000
const tooLong = `a LIKE pattern with both % and _ can have at most ${patternMax} characters`

/** LIKE with a pattern that is known only when the query runs. Characters that occur in no text replace escaped ones. */
function likePattern(text: Sql, pattern: Sql, escapedBy: string | null): Sql {
  return onceEach([text, pattern], (x, p) => {
    const changes: (readonly [string, string])[] = []
    if (escapedBy !== null) {
      const mark = escaped(escapedBy)
      changes.push([mark + mark, '\u{10FFFD}'], [`${mark}\\%`, '\u{10FFFC}'], [`${mark}_`, '\u{10FFFB}'], [mark, ''])
    }
    changes.push(['\\%', '.*'], ['_', '.'])
    if (escapedBy !== null) changes.push(['\u{10FFFD}', escaped(escapedBy)], ['\u{10FFFC}', '\\%'], ['\u{10FFFB}', '_'])
    const regex = changes.reduce(
      (sofar, [from, to]) => sql`replace(${sofar}, ${sql.literal(from)}, ${sql.literal(to)})`,
      sql`regexp_escape(${p})`,
    )
    const isPlain = sql`${escapedBy === null ? sql`` : sql`NOT contains(${p}, ${sql.literal(escapedBy)}) AND `}NOT (contains(${p}, '%') AND contains(${p}, '_'))`
    return sql`CASE WHEN ${isPlain} THEN ${x} LIKE ${p} WHEN length(${p}) <= ${plainInteger(patternMax)}
      THEN regexp_full_match(${x}, '(?s)' || ${regex}) WHEN ${p} IS NOT NULL
      THEN CAST(${failing(tooLong)} AS BOOLEAN) END`
  })
}

/** Escaped as the engine does for a regular expression. */
const escaped = (character: string): string => (/[\w\u{80}-\u{10FFFF}]/u.test(character) ? character : `\\${character}`)
