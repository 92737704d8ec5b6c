// A difference that stands, with its reason, and the ways to say when it is the one.
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
  /** The query without what the reason speaks of: where the engines then do not answer alike, the reason is another. */
  readonly without?: (text: string) => string
  /** What is left out changes nothing of our own answer: it stands for what it is written as. */
  readonly keepsOurs?: boolean
}

/** Druid refuses in words of its own, and is asked what it has no answer to. */
export const refusedThere = (reason: string, words: RegExp, within = /(?:)/): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid }) =>
    embedded.status === 200 && druid.status === 400 && words.test(druid.text) && within.test(query.text),
})

/** We refuse in words of ours what Druid answers; `without` as of an entry. */
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

/** Both answer a query that holds this, and not the same. */
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

/** Both answer a query of SQL that holds this, and the same once both answers are written in one way. */
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

/** Both answer, and what differs is of these sorts. */
export const differing = (reason: string, difference: RegExp, within = /(?:)/): KnownDifference => ({
  reason,
  matches: (found) => difference.test(found.difference) && within.test(found.query.text),
})
