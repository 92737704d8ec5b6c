// IP addresses as texts and, for version 4, as numbers.

import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { longValue, nullValue, type Typed, textValue, truthValue } from '../values/typed.ts'
import { type Call, type FunctionTable, literalText } from './call.ts'

const octet = '0{0,2}[0-9]|0?[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5]'
const version4 = sql.literal(`\\s*(?:(?:${octet})\\.){3}(?:${octet})\\s*`)

/** Parses an IPv4 address to its number; null if the text is not one. */
function parse4(text: Sql): Sql {
  const part = (x: Sql, index: number): Sql => sql`CAST(split_part(trim(${x}), '.', ${sql.long(index)}) AS BIGINT)`
  return bind(
    text,
    (x) =>
      sql`CASE WHEN regexp_full_match(${x}, ${version4}) THEN ((${part(x, 1)} * 256 + ${part(x, 2)}) * 256 + ${part(x, 3)}) * 256 + ${part(x, 4)} END`,
  )
}

/** The number of an IPv4 address given as text or number; null if it is not valid. */
function number4(value: Typed): Sql {
  if (value.type === 'STRING') return parse4(value.sql)
  if (value.type !== 'LONG') return sql`CAST(NULL AS BIGINT)`
  return bind(value.sql, (x) => sql`CASE WHEN ${x} BETWEEN 0 AND 4294967295 THEN ${x} END`)
}

function text4(value: Typed): Sql {
  if (value.type === 'STRING') return bind(value.sql, (x) => sql`CASE WHEN ${parse4(x)} IS NOT NULL THEN ${x} END`)
  const parts = (x: Sql): Sql => sql.list([24, 16, 8, 0].map((bits) => sql`(${x} >> ${sql.long(bits)}) & 255`))
  return bind(number4(value), (x) => sql`CASE WHEN ${x} IS NOT NULL THEN concat_ws('.', ${parts(x)}) END`)
}

function subnetOf(call: Call): readonly [address: string, bits: number] {
  const text = literalText(call, 1, 'subnet')
  const found = /^([^/]+)\/(\d{1,3})$/.exec(text)
  return found === null ? call.refuse(`"${text}" is not a subnet, such as 10.0.0.0/8`) : [found[1]!, Number(found[2])]
}

function match4([address]: readonly Typed[], call: Call): Typed {
  const [text, bits] = subnetOf(call)
  const parts = text.split('.').map(Number)
  const isRight = parts.length === 4 && parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 255)
  if (!isRight || bits > 32) return call.refuse(`"${text}/${bits}" is not an IPv4 subnet`)
  const low = parts.reduce((all, part) => all * 256 + part, 0)
  const width = 2 ** (32 - bits)
  const first = Math.floor(low / width) * width
  const body = (x: Sql): Sql => sql`coalesce(${x} BETWEEN ${sql.long(first)} AND ${sql.long(first + width - 1)}, FALSE)`
  return truthValue(bind(number4(address!), body))
}

/** Expands an IPv6 address to 32 hexadecimal digits; null if it is not valid. */
function expand6(address: string): string | null {
  const mapped = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const bytes = mapped?.slice(2).map(Number) ?? []
  if (bytes.some((byte) => byte > 255)) return null
  const hex = (index: number): string => (bytes[index]! * 256 + bytes[index + 1]!).toString(16)
  const plain = mapped === null ? address : `${mapped[1]}${hex(0)}:${hex(2)}`
  const halves = plain.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const groups = halves.flat()
  if (halves.length > 2 || groups.some((group) => !/^[0-9a-fA-F]{1,5}$/.test(group))) return null
  if (halves.length === 1 ? groups.length !== 8 : groups.length > 7) return null
  const [before = [], after = []] = halves
  const filled = [...before, ...Array.from({ length: 8 - groups.length }, () => '0'), ...after]
  return filled.map((group) => group.padStart(4, '0').slice(-4).toLowerCase()).join('')
}

const group6 = '0?[0-9a-fA-F]{1,4}'
const tail4 = sql.literal(`((?:${octet})(?:\\.(?:${octet})){3})$`)

/** `expand6` in the engine. */
function expandSql(text: Sql): Sql {
  const bare = sql`split_part(trim(${text}), '%', 1)`
  // An IPv4 address at the end stands for two groups.
  const tail = (x: Sql): Sql => parse4(sql`regexp_extract(${x}, ${tail4}, 1)`)
  const hex = (x: Sql): Sql =>
    sql`CASE WHEN contains(${x}, '.') THEN regexp_replace(${x}, ${tail4}, '') || printf('%x:%x', ${tail(x)} >> 16, ${tail(x)} & 65535) ELSE ${x} END`
  const groups = (half: Sql): Sql => sql`list_filter(string_split(${half}, ':'), lambda e: e <> '')`
  const digits = (list: Sql): Sql =>
    sql`array_to_string(list_transform(${list}, lambda e: right(lpad(e, 5, '0'), 4)), '')`
  const form = sql.literal(`(${group6}(:${group6}){7}|(${group6}(:${group6}){0,6})?::(${group6}(:${group6}){0,6})?)`)
  const joined = (x: Sql): Sql => {
    const before = digits(groups(sql`split_part(${x}, '::', 1)`))
    const after = digits(groups(sql`split_part(${x}, '::', 2)`))
    return bind(before, (a) =>
      bind(after, (b) => sql`lower(${a} || repeat('0', 32 - length(${a}) - length(${b})) || ${b})`),
    )
  }
  const count = (x: Sql): Sql => sql`len(${groups(x)})`
  return bind(
    bind(bare, hex),
    (x) =>
      sql`CASE WHEN regexp_full_match(${x}, ${form}) AND (${count(x)} = 8) <> contains(${x}, '::') THEN ${joined(x)} END`,
  )
}

function match6([address]: readonly Typed[], call: Call): Typed {
  const [text, bits] = subnetOf(call)
  const subnet = expand6(text)
  if (subnet === null || bits > 128) return call.refuse(`"${text}/${bits}" is not an IPv6 subnet`)
  if (address!.type !== 'STRING') return truthValue(sql`FALSE`)
  const digits = bits >> 2
  const rest = 4 - (bits & 3)
  // Within the digit in which the prefix ends, the address must lie in a range of digits.
  const low = rest === 4 ? 0 : (Number.parseInt(subnet[digits]!, 16) >> rest) << rest
  const ends = Array.from({ length: 1 << rest }, (_, index) => sql.literal((low + index).toString(16)))
  const inDigit = (x: Sql): Sql => (rest === 4 ? sql`TRUE` : sql`${x}[${sql.long(digits + 1)}] IN (${sql.list(ends)})`)
  const body = (x: Sql): Sql =>
    sql`coalesce(starts_with(${x}, ${sql.literal(subnet.slice(0, digits))}) AND ${inDigit(x)}, FALSE)`
  return truthValue(bind(expandSql(address!.sql), body))
}

export const addressFunctions = {
  ipv4_match: { args: [2, 2], compile: match4 },
  ipv4_parse: { args: [1, 1], compile: ([value]) => (value!.type === null ? nullValue : longValue(number4(value!))) },
  ipv4_stringify: { args: [1, 1], compile: ([value]) => (value!.type === null ? nullValue : textValue(text4(value!))) },
  ipv6_match: { args: [2, 2], compile: match6 },
} as const satisfies FunctionTable
