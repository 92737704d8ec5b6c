// What the tests of reasons are made of.

/**
 * A reason, a query, what sets the answers apart for the reason, and what does where something else is wrong with the query; then
 * how the answers differ, if the reason asks for that.
 */
export type ChangedCase = readonly [
  reason: string,
  text: string,
  word: RegExp,
  fault: RegExp,
  answers?: readonly [ours: string, theirs: string],
]

/** A reason that looks at both answers: those that it accepts, and another of Druid's that it does not. */
export type AnsweredCase = readonly [reason: string, text: string, ours: string, theirs: string, other: string]

/** A reason of a query that one side refuses in its words; and, where it asks for more than words, a query that it is none of. */
export type RefusedCase = readonly [reason: string, text: string, words: string, otherText?: string]
