// Sends the same queries to both engines, shrinks the queries whose answers differ, and counts the results.

import { differenceOf } from './compare.ts'
import { type Piece, rulesIn, written } from './grammar.ts'
import { knownDifferences } from './known-differences.ts'
import type { Found, KnownDifference } from './reasons/reason.ts'
import { type Shrinking, shrunk } from './shrink.ts'
import type { BothEngines, Query } from './world.ts'

export interface Made extends Shrinking {
  readonly kind: Query['kind']
  readonly piece: Piece
}

export interface Tally {
  asked: number
  /** Queries that both engines answered, whether equally or not. */
  answered: number
  /** The answered queries that the store of one machine answered without the SQL engine. */
  byStore: number
  equal: number
  refusedAlike: number
  /** Explained differences by reason, with shrunk queries. */
  readonly known: Map<string, Found[]>
  /** Differences without a known reason, by the shrunk query. `number` is the query's number, `askedBefore` the number of queries run before it. */
  readonly unknown: Map<
    string,
    { readonly found: Found; readonly number: number; readonly askedBefore: number; count: number }
  >
  /** Rules used in queries that both engines answered. */
  readonly reached: Set<string>
}

export const newTally = (): Tally => ({
  asked: 0,
  answered: 0,
  byStore: 0,
  equal: 0,
  refusedAlike: 0,
  known: new Map(),
  unknown: new Map(),
  reached: new Set(),
})

/** Runs one query on both engines and adds the result to the tally. */
export async function askBoth(engines: BothEngines, made: Made, number: number, tally: Tally): Promise<void> {
  const found = await ask(engines, { kind: made.kind, text: written(made.piece) })
  tally.asked += 1
  if (found.embedded.status === 200 && found.druid.status === 200) {
    tally.answered += 1
    if (found.embedded.byStore) tally.byStore += 1
    for (const rule of rulesIn(made.piece)) tally.reached.add(rule)
  }
  if (found.difference === null) {
    if (found.embedded.status === 200) tally.equal += 1
    else tally.refusedAlike += 1
    return
  }
  const least = await smallest(engines, made, found)
  const known = await reasonFor(least, engines)
  if (known !== null) {
    tally.known.set(known.reason, [...(tally.known.get(known.reason) ?? []), least])
    return
  }
  const before = tally.unknown.get(least.query.text)
  if (before !== undefined) before.count += 1
  else tally.unknown.set(least.query.text, { found: least, number, askedBefore: tally.asked - 1, count: 1 })
}

async function reasonFor(
  found: Found,
  engines: BothEngines,
  reasonsLeft = reasonsAtOnce,
): Promise<KnownDifference | null> {
  for (const entry of knownDifferences) {
    if (!entry.matches(found)) continue
    if (entry.without === undefined) return entry
    const text = entry.without(found.query.text)
    if (text === found.query.text) continue
    const changed = await ask(engines, { ...found.query, text })
    if (changed.embedded.status !== 200) continue
    if (entry.keepsOurs === true && differenceOf(found.query, found.embedded, changed.embedded) !== null) continue
    if (await isKnown(changed, engines, reasonsLeft - 1)) return entry
  }
  return null
}

/** The most reasons that may apply to one query together. */
const reasonsAtOnce = 2

/** Whether the answers are equal, or their difference has a known reason too. */
async function isKnown(found: Compared, engines: BothEngines, reasonsLeft: number): Promise<boolean> {
  const { difference } = found
  if (difference === null) return true
  return reasonsLeft > 0 && (await reasonFor({ ...found, difference }, engines, reasonsLeft)) !== null
}

type Compared = Omit<Found, 'difference'> & { readonly difference: string | null }

async function ask(engines: BothEngines, query: Query): Promise<Compared> {
  const [embedded, druid] = await Promise.all([engines.embedded(query), engines.druid(query)])
  return { query, embedded, druid, difference: differenceOf(query, embedded, druid) }
}

/**
 * Identifies the kind of a difference, which must stay the same while a query shrinks: both statuses, the words of the refusals, and how the answers
 * differ. Counts and names are ignored.
 */
function sortOf({ difference, embedded, druid }: Compared): string {
  const words = [embedded, druid].map(({ status, text }) => (status === 200 ? '' : refusalOf(text)))
  return [difference?.replace(/^.*?: /, '').replaceAll(/\d+/g, ''), ...words].join('|')
}

/** The message of a refusal without quoted text, names and counts. */
function refusalOf(text: string): string {
  const detail = (JSON.parse(text) as { readonly detail?: string }).detail ?? text
  return detail.replaceAll(/\[[^\]]*\]|'[^']*'|"[^"]*"|\d+/g, '').slice(0, 80)
}

async function smallest(engines: BothEngines, made: Made, compared: Compared): Promise<Found> {
  let last = compared as Found
  const sort = sortOf(last)
  await shrunk(made.piece, made, async (text) => {
    const found = await ask(engines, { kind: made.kind, text })
    if (found.difference === null || sortOf(found) !== sort) return false
    last = found as Found
    return true
  })
  return last
}

/** The most unreached rules to list. After a few thousand queries few are left. */
const missedMax = 50

const cut = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)}...` : text)

/** `rules` are all rules that queries can be made of, named as `rulesIn` names them. */
export function reportOf(tally: Tally, recent: number, rules: readonly string[]): string {
  const { asked, answered, byStore, equal, refusedAlike, known, unknown, reached } = tally
  const times = [...known.values()].reduce((sum, { length }) => sum + length, 0)
  const newest = [...unknown.values()].filter(({ askedBefore }) => askedBefore >= asked - recent).length
  const missed = rules.filter((rule) => !reached.has(rule))
  const unexplained = [...unknown.values()].reduce((sum, { count }) => sum + count, 0)
  return [
    `asked ${asked}, answered by both ${answered} (${byStore} by the store): equal ${equal}, refused alike ${refusedAlike}, different by a known reason ${times}, by none ${unexplained}`,
    `new kinds of difference in the last ${recent}: ${newest}; functions and clauses in queries that both answered: ${rules.length - missed.length} of ${rules.length}`,
    ...(missed.length > missedMax ? [] : [`in none of them: ${missed.join(', ')}`]),
    ...[...known]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([reason, found]) => `  ${found.length} ${reason}: ${cut(found[0]!.query.text)}`),
    ...[...unknown.values()].map(
      ({ found: { query, difference, embedded, druid }, count, number }) =>
        `\n#${number} x${count}: ${difference}\n  ${query.text}\n  here  ${embedded.status} ${cut(embedded.text)}\n  Druid ${druid.status} ${cut(druid.text)}`,
    ),
  ].join('\n')
}
