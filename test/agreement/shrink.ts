import { type Piece, smaller, written } from './grammar.ts'

/** The most queries sent to the engines while one difference shrinks. */
const asksMax = 150

export interface Shrinking {
  readonly plainest: (kind: string) => readonly string[]
  /** Parts of a query as separate queries, shortest first. */
  readonly alone: (piece: Piece) => readonly Piece[]
}

/** The smallest query found for which `differs` is still true. */
export async function shrunk(
  piece: Piece,
  { plainest, alone }: Shrinking,
  differs: (text: string) => Promise<boolean>,
): Promise<string> {
  let [best, asks] = [piece, 0]
  const tried = new Set<string>([written(piece)])
  for (let found = true; found && asks < asksMax; ) {
    found = false
    for (const candidate of candidates(best, best === piece ? alone(piece) : [], plainest)) {
      const text = written(candidate)
      if (tried.has(text) || text.length > written(best).length) continue
      tried.add(text)
      asks += 1
      if (asks > asksMax) break
      if (!(await differs(text))) continue
      best = candidate
      found = true
      break
    }
  }
  return written(best)
}

function* candidates(best: Piece, alone: readonly Piece[], plainest: Shrinking['plainest']): Generator<Piece> {
  yield* alone
  yield* smaller(best, plainest)
}
