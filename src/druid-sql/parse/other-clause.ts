import { otherClauses } from './other-dialects.ts'
import { sqlProblem } from './sql-problem.ts'
import { type Token, tokenize } from './tokenizer.ts'

const patterns = otherClauses.map(([wrong, advice]) => ({
  tokens: tokenize(wrong).slice(0, -1),
  wrong: wrong.replace(/ _$/, '').replace(/ \($/, ''),
  advice,
}))

function isLike(token: Token | undefined, pattern: Token): boolean {
  if (token === undefined) return false
  if (pattern.text === '_') return true
  const isAny = pattern.kind === 'string' || pattern.kind === 'number'
  return token.kind === pattern.kind && (isAny || token.upper === pattern.upper)
}

/** The refusal of a clause of another dialect of which the token at `at` is a part; null where it is part of none. */
export function otherClauseAt(tokens: readonly Token[], at: number): Error | null {
  for (const { tokens: pattern, wrong, advice } of patterns) {
    for (let start = Math.max(0, at - pattern.length + 1); start <= at; start++) {
      if (pattern.every((one, offset) => isLike(tokens[start + offset], one)))
        return sqlProblem(tokens[start]!.place, `${wrong} is not taken: ${advice}`)
    }
  }
  return null
}
