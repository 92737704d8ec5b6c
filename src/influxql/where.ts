// WHERE as SQL: a time range, and conditions on tags and fields.

import type { Zone } from '../druid-time/zone.ts'
import { addTo } from '../lib/add-to.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import type { EntityField } from '../model/entity.ts'
import { isNumericField } from '../model/field.ts'
import { earliestMs, latestMs, namesZone, parseInstant } from '../model/instant.ts'
import { likeEscape, likesOf, matcher } from './patterns.ts'
import { refused } from './refusals.ts'
import { fieldNamed, type Scope, tagKey, tagNamed, tagSql } from './scope.ts'
import type { Comparison, ComparisonNode, Node, PatternNode } from './syntax.ts'

/** Both ends are inclusive. */
export interface TimeRange {
  readonly fromMs: number
  readonly untilMs: number
  /** The start as written; null where the range is open. */
  readonly startNs: bigint | null
  readonly hasEnd: boolean
}

export interface Clock {
  readonly nowMs: number
  /** The zone of times that name none. */
  readonly zone: Zone
}

export interface Where {
  readonly range: TimeRange
  /** Conditions in addition to the range. */
  readonly conditions: readonly Sql[]
}

const wholeTime: TimeRange = { fromMs: earliestMs, untilMs: latestMs, startNs: null, hasEnd: false }

/** Throws Problem `invalid_request`. */
export function whereOf(node: Node | null, scope: Scope, clock: Clock): Where {
  const parts = conjuncts(node)
  const times = parts.filter(isOfTime)
  const range = times.reduce<TimeRange>((before, part) => narrowed(before, part, clock), wholeTime)
  const others = parts.filter((part) => !isOfTime(part)).map((part) => conditionSql(part, scope))
  return { range, conditions: others }
}

export function rangeSql({ fromMs, untilMs }: TimeRange): readonly Sql[] {
  return [
    ...(fromMs > earliestMs ? [sql`__time >= MILLIS_TO_TIMESTAMP(${fromMs})`] : []),
    ...(untilMs < latestMs ? [sql`__time <= MILLIS_TO_TIMESTAMP(${untilMs})`] : []),
  ]
}

function conjuncts(node: Node | null): readonly Node[] {
  if (node === null) return []
  return node.kind === 'and' ? node.operands.flatMap(conjuncts) : [node]
}

const isTime = (node: Node): boolean => node.kind === 'name' && node.name.toLowerCase() === 'time' && node.of === null

function isOfTime(node: Node): node is ComparisonNode {
  return node.kind === 'comparison' && (isTime(node.left) || isTime(node.right))
}

const msNs = 1_000_000n

function narrowed(range: TimeRange, { operator, left, right }: ComparisonNode, clock: Clock): TimeRange {
  const [what, written] = isTime(left) ? [operator, right] : [mirrored[operator] ?? operator, left]
  const ns = timeNs(written, clock)
  switch (what) {
    case '>':
      return after(range, ns + 1n)
    case '>=':
      return after(range, ns)
    case '<':
      return before(range, ns - 1n)
    case '<=':
      return before(range, ns)
    case '=':
      return before(after(range, ns), ns)
    default:
      throw refused(`time ${what} is not supported: compare time by =, <, <=, > or >=.`)
  }
}

function after(range: TimeRange, ns: bigint): TimeRange {
  const fromMs = Math.max(range.fromMs, Number(ceilDiv(ns, msNs)))
  return { ...range, fromMs, startNs: range.startNs === null || ns > range.startNs ? ns : range.startNs }
}

function before(range: TimeRange, ns: bigint): TimeRange {
  return { ...range, untilMs: Math.min(range.untilMs, Number(-ceilDiv(-ns, msNs))), hasEnd: true }
}

function ceilDiv(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value > 0n && quotient * by !== value ? quotient + 1n : quotient
}

const mirrored: Partial<Record<Comparison, Comparison>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

/** An instant or a duration, in nanoseconds. Throws Problem `invalid_request`. */
export function timeNs(node: Node, clock: Clock): bigint {
  switch (node.kind) {
    case 'number':
      return wholeNs(node.digits)
    case 'duration':
      return node.ns
    case 'text':
      return BigInt(momentOf(node.value, clock)) * msNs
    case 'call':
      if (node.name === 'now' && node.operands.length === 0) return BigInt(clock.nowMs) * msNs
      break
    case 'arithmetic': {
      const [left, right] = [timeNs(node.left, clock), timeNs(node.right, clock)]
      if (node.operator === '+') return left + right
      if (node.operator === '-') return left - right
    }
  }
  throw refused("write a time as now() - 6h, as a number and its unit (1700000000000ms) or as '2026-01-01T00:00:00Z'.")
}

/** InfluxDB's first and last nanosecond. */
const [earliestNs, latestNs] = [-9_223_372_036_854_775_806n, 9_223_372_036_854_775_806n]

function wholeNs(digits: string): bigint {
  const number = Number(digits)
  if (!Number.isFinite(number)) throw refused(`${digits} is beyond the range of numbers.`)
  const ns = /^-?\d+$/.test(digits) ? BigInt(digits) : BigInt(Math.trunc(number))
  return ns < earliestNs ? earliestNs : ns > latestNs ? latestNs : ns
}

function momentOf(text: string, { zone }: Clock): number {
  const ms = parseInstant(text)
  if (ms === null)
    throw refused(`'${text}' is not a time: write it as '2026-01-01T00:00:00Z' or '2026-01-01 00:00:00'.`)
  return namesZone(text) ? ms : zone.toInstant(ms, ms)
}

function conditionSql(node: Node, scope: Scope): Sql {
  switch (node.kind) {
    case 'and':
      return sql`(${sql.join(
        node.operands.map((one) => conditionSql(one, scope)),
        ' AND ',
      )})`
    case 'or':
      return orSql(node.operands, scope)
    case 'boolean':
      return node.value ? always : never
    case 'comparison':
      return comparisonSql(node, scope)
    default:
      throw refused('WHERE takes comparisons of time, tags and fields with constants, joined by AND and OR.')
  }
}

const always = sql`1 = 1`
const never = sql`1 = 0`

/** Several values of one tag become a list, which the store looks up. */
function orSql(operands: readonly Node[], scope: Scope): Sql {
  const texts = new Map<EntityField, string[]>()
  const others: Sql[] = []
  for (const operand of operands) {
    const found = equalTag(operand, scope)
    if (found === null) others.push(conditionSql(operand, scope))
    else {
      addTo(texts, found.tag, found.text)
    }
  }
  const lists = [...texts].map(([tag, values]) => amongSql(tag, values))
  return sql`(${sql.join([...lists, ...others], ' OR ')})`
}

function equalTag(node: Node, scope: Scope): { readonly tag: EntityField; readonly text: string } | null {
  if (node.kind !== 'comparison' || node.operator !== '=' || node.left.kind !== 'name' || node.right.kind !== 'text')
    return null
  const tag = node.left.of === 'field' ? null : tagNamed(scope, node.left.name)
  return tag === null ? null : { tag, text: node.right.value }
}

export function amongSql(tag: EntityField, texts: readonly string[]): Sql {
  const some = texts.filter((text) => text !== '')
  const listed =
    some.length === 1
      ? sql`${tagSql(tag)} = ${some[0]!}`
      : sql`${tagSql(tag)} IN (${sql.list(some.map((text) => sql`${text}`))})`
  if (some.length === texts.length) return listed
  const missing = sql`${tagSql(tag)} IS NULL OR ${tagSql(tag)} = ''`
  return some.length === 0 ? sql`(${missing})` : sql`(${missing} OR ${listed})`
}

function comparisonSql({ operator, left, right }: ComparisonNode, scope: Scope): Sql {
  if (isTime(left) || isTime(right))
    throw refused('time can be compared only at the top level of WHERE, joined by AND.')
  const isTurned = left.kind !== 'name'
  const [name, value] = isTurned ? [right, left] : [left, right]
  if (name.kind !== 'name')
    throw refused('WHERE compares a tag or a field with a constant: compute in SQL, at POST /consumer/data/sql-query.')
  const compared = isTurned ? (mirrored[operator] ?? operator) : operator
  const field = name.of === 'tag' ? null : fieldNamed(scope, name.name)
  if (field !== null) return fieldSql(field, compared, value)
  const tag = name.of === 'field' ? null : tagNamed(scope, name.name)
  return tagCondition(tag, compared, value)
}

/** `tag` is null when no row has the tag: its text is then empty. */
function tagCondition(tag: EntityField | null, operator: Comparison, value: Node): Sql {
  const isNegative = operator === '!=' || operator === '!~'
  if (value.kind === 'pattern') {
    if (tag === null) return matcher(value)('') === !isNegative ? always : never
    return patternSql(tag, value, isNegative)
  }
  // As in InfluxDB: tags are texts, and a comparison with anything else is never true.
  if (value.kind !== 'text' || (operator !== '=' && operator !== '!=')) return never
  if (tag === null) return (value.value === '') === !isNegative ? always : never
  return isNegative ? otherThan(tag, [value.value]) : amongSql(tag, [value.value])
}

function otherThan(tag: EntityField, texts: readonly string[]): Sql {
  const some = sql`${tagSql(tag)} NOT IN (${sql.list(texts.map((text) => sql`${text}`))})`
  // A missing tag counts as ''.
  if (texts.includes('')) return sql`(${tagSql(tag)} IS NOT NULL AND ${some})`
  return tag.role === 'tag' ? some : sql`(${tagSql(tag)} IS NULL OR ${some})`
}

export function patternSql(tag: EntityField, { source }: PatternNode, isNegative: boolean): Sql {
  const likes = likesOf(source)
  if (likes !== null && likes.patterns.length === 0) {
    return isNegative ? otherThan(tag, likes.texts) : amongSql(tag, likes.texts)
  }
  const matches =
    likes === null
      ? [sql`REGEXP_LIKE(${tagKey(tag)}, ${source})`]
      : likes.patterns.map((pattern) => sql`${tagKey(tag)} LIKE ${pattern} ESCAPE ${likeEscape}`)
  const texts = likes === null || likes.texts.length === 0 ? [] : [amongSql(tag, likes.texts)]
  const either = sql`(${sql.join([...texts, ...matches], ' OR ')})`
  return isNegative ? sql`NOT ${either}` : either
}

/** A comparison with a constant of another type than the field's is never true. */
function fieldSql(field: EntityField, operator: Comparison, value: Node): Sql {
  const name = sql.id(field.name)
  const { type } = field
  if (value.kind === 'pattern' && type === 'string') {
    const matches = sql`REGEXP_LIKE(${name}, ${value.source})`
    return operator === '!~' ? sql`NOT ${matches}` : matches
  }
  const written = sqlOperators[operator]
  if (written === undefined) return never
  if (value.kind === 'number' && isNumericField(field)) return sql`${name} ${written} ${numberSql(value.digits, field)}`
  if (value.kind === 'text' && type === 'string' && (operator === '=' || operator === '!='))
    return sql`${name} ${written} ${value.value}`
  if (value.kind === 'boolean' && type === 'boolean' && (operator === '=' || operator === '!='))
    return sql`${name} ${written} ${value.value ? 1 : 0}`
  if (value.kind === 'text' || value.kind === 'boolean' || value.kind === 'number' || value.kind === 'pattern')
    return never
  throw refused('WHERE compares a field with a constant: compute in SQL, at POST /consumer/data/sql-query.')
}

function numberSql(digits: string, { type }: EntityField): Sql {
  const value = Number(digits)
  if (!Number.isFinite(value)) throw refused(`${digits} is beyond the range of numbers.`)
  return type === 'long' && /^-?\d{1,18}$/.test(digits) ? sql`${BigInt(digits)}` : sql`${value}`
}

const sqlOperators: Partial<Record<Comparison, Sql>> = {
  '=': sql`=`,
  '!=': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
}
