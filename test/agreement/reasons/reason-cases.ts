// The types of the cases in the tests of reasons.

/**
 * A reason; a query; `word`, the part of the query that causes the difference for this reason; and `fault`, a part that causes one for another reason.
 * `answers` show how the answers differ, where the reason depends on that.
 */
export type ChangedCase = readonly [
  reason: string,
  text: string,
  word: RegExp,
  fault: RegExp,
  answers?: readonly [ours: string, theirs: string],
]

/** A reason that compares both answers: a pair that it accepts, and another answer of Druid that it rejects. */
export type AnsweredCase = readonly [reason: string, text: string, ours: string, theirs: string, other: string]

/** A query that one side refuses with these words. `otherText`, for reasons that check more than the words, is a query that the reason does not match. */
export type RefusedCase = readonly [reason: string, text: string, words: string, otherText?: string]
