// An accepted difference with its reason, and constructors for the common ways to recognize one.
import { differenceOf } from '../compare.ts'
import type { Asked, Query } from '../world.ts'

export interface Found {
  readonly query: Query
  readonly difference: string
  readonly embedded: Asked
  readonly druid: Asked
}

export interface KnownDifference {
  readonly reason: string
  readonly matches: (found: Found) => boolean
  /** Removes from the query the construct that the reason describes. If the engines still disagree, the difference has another reason. */
  readonly without?: (text: string) => string
  /** Whether `without` must not change our own answer: it replaces the construct by an equivalent one. */
  readonly keepsOurs?: boolean
}

/** Druid refuses the query with these words; we answer it. */
export const refusedThere = (reason: string, words: RegExp, within = /(?:)/): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid }) =>
    embedded.status === 200 && druid.status === 400 && words.test(druid.text) && within.test(query.text),
})

/** We refuse the query with these words; Druid answers it. `without` is that of the entry. */
export const refusedHere = (
  reason: string,
  words: RegExp,
  within: RegExp,
  without?: (text: string) => string,
): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid }) =>
    embedded.status === 400 && druid.status === 200 && words.test(embedded.text) && within.test(query.text),
  ...(without === undefined ? {} : { without }),
})

/** Both answer a query that matches `within`, with different results. */
export const otherwise = (
  reason: string,
  within: RegExp,
  kind: Query['kind'],
  {
    there = /(?:)/,
    differing = /(?:)/,
    without,
  }: { readonly there?: RegExp; readonly differing?: RegExp; readonly without?: (text: string) => string } = {},
): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid, difference }) =>
    embedded.status === 200 &&
    druid.status === 200 &&
    query.kind === kind &&
    within.test(query.text) &&
    there.test(druid.text) &&
    differing.test(difference),
  ...(without === undefined ? {} : { without }),
})

/** The same rows, with other values. */
export const values = /: |^order by/

/** Both answer an SQL query that matches `within`, and their answers are equal after normalization by `even`. */
export const writtenOtherwise = (reason: string, within: RegExp, even: (text: string) => string): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid }) =>
    embedded.status === 200 &&
    druid.status === 200 &&
    query.kind === 'sql' &&
    within.test(query.text) &&
    differenceOf(query, evened(embedded, even), evened(druid, even)) === null,
})

export const evened = ({ status, text }: Asked, even: (text: string) => string): Asked => ({ status, text: even(text) })

/** Both answer, and the difference matches `difference`. */
export const differing = (reason: string, difference: RegExp, within = /(?:)/): KnownDifference => ({
  reason,
  matches: (found) => difference.test(found.difference) && within.test(found.query.text),
})
